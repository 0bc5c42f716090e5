#!/usr/bin/env node
// Starts the native program of this platform. Only people come this way: `sprag deploy` registers the native program itself,
// so that no event of an agent pays for Node.
"use strict";
const { spawnSync } = require("node:child_process");
const { constants } = require("node:os");

const name = `@sprag/cli-${process.platform}-${process.arch}`;

function program() {
  if (process.env.SPRAG_BINARY) return process.env.SPRAG_BINARY;
  try {
    return require.resolve(`${name}/${process.platform === "win32" ? "sprag.exe" : "sprag"}`);
  } catch {
    console.error(`error: the package ${name} is not installed, which holds sprag for this platform`);
    console.error("  install again without --omit=optional, or see https://www.npmjs.com/package/@sprag/cli for the platforms");
    process.exit(1);
  }
}

const done = spawnSync(program(), process.argv.slice(2), { stdio: "inherit" });
if (done.error) {
  console.error(`error: ${done.error.message}`);
  console.error("  install @sprag/cli again");
  process.exit(1);
}
process.exit(done.signal ? 128 + (constants.signals[done.signal] ?? 0) : done.status);
