import { open as unlock, close } from "./door.js";
import * as tools from "./tools.js";
import start from "./start.js";

unlock();
close();
tools.hammer();
start();
