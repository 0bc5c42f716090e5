import { Client, connect } from "./api/index.js";
import helper from "./api/helper.js";

connect().send();
new Client("x").close();
helper.trim();
