import { Client } from "./client.js";

export function connect() {
  return new Client("y");
}
