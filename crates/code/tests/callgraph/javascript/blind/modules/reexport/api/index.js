export * from "./client.js";
export { connect } from "./connect.js";
