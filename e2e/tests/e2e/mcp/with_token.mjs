// Runs a program that knows no token against a server that wants one: `node with_token.mjs TOKEN_FILE URL SCRIPT ARG…` starts the script with the
// address of a server in between as its last argument, and ends as it ends.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import http from "node:http";

const [, , tokenFile, url, ...command] = process.argv;
const target = new URL(url);
const authorization = `Bearer ${readFileSync(tokenFile, "utf8").trim()}`;

const server = http.createServer((request, response) => {
  const own = `:${server.address().port}`;
  const headers = { ...request.headers, authorization };
  // The server compares names and ports: those of this one stand for its own.
  for (const name of ["host", "origin"]) {
    if (headers[name]) headers[name] = headers[name].replace(own, `:${target.port}`);
  }
  const options = { host: target.hostname, port: target.port, path: request.url, method: request.method, headers };
  const forwarded = http.request(options, (answer) => {
    response.writeHead(answer.statusCode, answer.headers);
    answer.pipe(response);
  });
  forwarded.on("error", () => response.destroy());
  request.pipe(forwarded);
});

server.listen(0, "127.0.0.1", () => {
  const address = `http://localhost:${server.address().port}${target.pathname}`;
  spawn(process.execPath, [...command, address], { stdio: "inherit" }).on("exit", (code) => process.exit(code ?? 1));
});
