// A server, a browser and a page that notices everything that should not happen.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const require = createRequire(join(process.env.KEN_PAGE_MODULES, "index.js"));
const { chromium } = require("playwright-core");
export const AXE = require.resolve("axe-core/axe.min.js");
export const ROOT = new URL("../..", import.meta.url).pathname;

/** Folders that go away in the end. */
const folders = [];

export function folder() {
  const made = mkdtempSync(join(tmpdir(), "ken-page-"));
  folders.push(made);
  return made;
}

export function cleanUp() {
  folders.forEach((made) => rmSync(made, { recursive: true, force: true }));
}

/** Starts `ken serve` over a copy of a vault, and returns where it listens. */
export async function serve(vault, { settings = "", env = {}, args = [], isCopied = true, data } = {}) {
  const home = folder();
  const notes = isCopied ? join(home, "notes") : vault;
  if (isCopied) cpSync(vault, notes, { recursive: true });
  const config = join(home, "config.toml");
  writeFileSync(config, settings.replaceAll("{notes}", notes).replaceAll("{home}", home));
  const dataDir = data ?? join(home, "data");
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const environment = { PATH: process.env.PATH, HOME: home, KEN_DATA_DIR: dataDir, ...env };
  const place = settings.includes("[domains") ? [] : ["--vault", notes];
  const options = ["--config", config, ...place];
  if (place.length) execFileSync(process.env.KEN, ["index", "--quiet", ...options], { env: environment, stdio: "inherit" });
  else for (const [, name] of settings.matchAll(/\[domains\.(\w+)\]/g)) {
    execFileSync(process.env.KEN, ["index", "--quiet", "--config", config, "--domain", name], { env: environment, stdio: "inherit" });
  }
  const child = spawn(process.env.KEN, ["serve", "--port", "0", ...options, ...args], { cwd: home, env: environment, stdio: ["ignore", "inherit", "pipe"] });
  const url = await new Promise((resolve, reject) => {
    let told = "";
    child.stderr.on("data", (data) => {
      told += data;
      const found = /listening on (http:\/\/[\d.:]+)/.exec(told);
      if (found) resolve(found[1]);
    });
    child.on("exit", () => reject(new Error(`ken serve ended: ${told}`)));
  });
  return { url, notes, home, stop: () => child.kill() };
}

export async function launch() {
  return chromium.launch({ executablePath: process.env.CHROMIUM, args: ["--no-sandbox", "--disable-gpu", "--lang=en-GB"] });
}

/** Opens a page; `troubles` collects errors, refused scripts and requests to anywhere else. */
export async function open(browser, url, options = {}) {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 }, colorScheme: "light", locale: "en-GB", ...options });
  const page = await context.newPage();
  // While one works on the page, its files may be taken from the folder instead of the binary.
  if (process.env.KEN_PAGE_FILES) {
    await context.route(`${url}/page/*`, (route) => route.fulfill({ path: join(process.env.KEN_PAGE_FILES, new URL(route.request().url()).pathname.slice(6)) }));
  }
  const troubles = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) troubles.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => troubles.push(`error: ${error.message}`));
  page.on("request", (request) => {
    if (!request.url().startsWith(url)) troubles.push(`request to ${request.url()}`);
  });
  page.troubles = troubles;
  page.setDefaultTimeout(15_000);
  return page;
}

/** Opens the page at an address and checks in the end that nothing went wrong. */
export async function on({ browser, server }, path, options, act) {
  const page = await open(browser, server.url, options);
  await page.goto(server.url + path);
  await act(page);
  assert.deepEqual(page.troubles, []);
  await page.context().close();
}

/** Fails where axe finds something serious or critical. */
export async function accessible(page) {
  // The policy of the page refuses scripts that are put into it; a debugger may still run one.
  const session = await page.context().newCDPSession(page);
  const { readFileSync } = await import("node:fs");
  await session.send("Runtime.evaluate", { expression: readFileSync(AXE, "utf8") });
  const { result } = await session.send("Runtime.evaluate", {
    expression: "axe.run(document, { resultTypes: ['violations'] }).then(r => JSON.stringify(r.violations))",
    awaitPromise: true,
    returnByValue: true,
  });
  const found = JSON.parse(result.value).filter(({ impact }) => ["serious", "critical"].includes(impact));
  if (found.length === 0) return;
  const told = found.map((one) => `${one.impact} ${one.id}: ${one.help}\n    ${one.nodes.slice(0, 4).map((node) => `${node.target} ${node.failureSummary?.split("\n")[1] ?? ""}`).join("\n    ")}`);
  throw new Error(`axe: ${told.join("\n  ")}`);
}
