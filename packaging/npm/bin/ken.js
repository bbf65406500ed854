#!/usr/bin/env node
// Runs the `ken` that npm installed for this machine. Nothing is downloaded here: each platform is a package of its
// own, and npm installs the one that fits.
"use strict";

const { spawnSync } = require("node:child_process");
const { constants } = require("node:os");

const name = `@kenning/ken-${process.platform}-${process.arch}`;
const file = process.platform === "win32" ? "ken.exe" : "ken";

let binary;
try {
  binary = require.resolve(`${name}/bin/${file}`);
} catch {
  console.error(`error: ${name} is not installed`);
  console.error("\nhint: npm install without --omit=optional, or see the README for other ways");
  process.exit(2);
}

const result = spawnSync(binary, process.argv.slice(2), { stdio: "inherit" });
if (result.error) {
  console.error(`error: ${binary}: ${result.error.message}`);
  process.exit(2);
}
// Ended by a signal: the code that a shell would report.
process.exit(result.status ?? 128 + (constants.signals[result.signal] ?? 0));
