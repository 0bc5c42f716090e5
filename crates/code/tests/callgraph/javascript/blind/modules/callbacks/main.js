import { each } from "./iterate.js";
import { emitter } from "./events.js";

function show(x) {}
function changed() {}

each([1], show);
emitter.on("change", changed);
emitter.emit("change");
