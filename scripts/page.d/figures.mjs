// Measures the page on a large vault: first result after a key, weight, frames a second of the map while it is dragged.

import { gzipSync } from "node:zlib";
import { cleanUp, launch, open, serve } from "./browser.mjs";

const vault = process.argv[2];
const server = await serve(vault, { isCopied: false, args: ["--no-update"], data: process.env.KEN_DATA_DIR });
const browser = await launch();

async function keys() {
  const page = await open(browser, server.url);
  await page.goto(server.url);
  await page.waitForFunction(() => document.body.dataset.view === "find");
  // The first question reads the index into memory.
  await page.locator("#q").pressSequentially("warm up the index", { delay: 60 });
  await page.locator(".hit").first().waitFor();
  await page.waitForTimeout(1500);
  await page.evaluate(() => {
    const took = (window["took"] = []);
    let pressed = 0;
    addEventListener("keydown", () => (pressed = performance.now()), true);
    const drawn = new MutationObserver(() => {
      const since = pressed;
      pressed = 0;
      if (since) requestAnimationFrame(() => took.push(performance.now() - since));
    });
    drawn.observe(document.querySelector(".hits"), { childList: true });
  });
  for (const text of ["flexbox align items", "how do promises chain", "canvas draw image", "cors preflight header", "css grid gap"]) {
    await page.locator("#q").fill("");
    await page.waitForTimeout(400);
    await page.locator("#q").pressSequentially(text, { delay: 180 });
    await page.waitForTimeout(600);
  }
  const took = await page.evaluate(() => window["took"]);
  const known = took.filter((ms) => ms > 0).sort((a, b) => a - b);
  const at = (share) => Math.round(known[Math.min(known.length - 1, Math.floor(known.length * share))]);
  console.log(`first result after a key: ${known.length} keys, median ${at(0.5)} ms, 95 % ${at(0.95)} ms, most ${at(1)} ms`);
  await page.context().close();
}

async function weight() {
  const page = await open(browser, server.url);
  const files = new Map();
  page.on("response", async (response) => {
    const { pathname } = new URL(response.url());
    if (response.ok() && (pathname === "/" || pathname.startsWith("/page/"))) files.set(pathname, gzipSync(await response.body()).length);
  });
  for (const view of ["find", "ask", "see", "keep"]) {
    await page.goto(`${server.url}/?view=${view}`);
    await page.waitForTimeout(1500);
    const total = [...files.values()].reduce((sum, n) => sum + n, 0);
    console.log(`weight after ${view}: ${(total / 1000).toFixed(1)} kB compressed in ${files.size} files`);
  }
  await page.context().close();
}

async function map() {
  const page = await open(browser, server.url);
  const started = Date.now();
  await page.goto(`${server.url}/?view=see`);
  await page.waitForFunction(() => document.getElementById("main")?.dataset.ready === "map", undefined, { timeout: 300_000 });
  console.log(`map: shown after ${Date.now() - started} ms`);
  const box = await page.locator("canvas.plane").boundingBox();
  const rate = await page.evaluate(async () => {
    const plane = document.querySelector("canvas.plane")["plane"];
    const before = plane.n_frames;
    const started = performance.now();
    // Dragged as a hand does, a little with every frame.
    while (performance.now() - started < 3000) {
      plane.panBy(Math.sin(performance.now() / 300) * 8, Math.cos(performance.now() / 300) * 8);
      await new Promise(requestAnimationFrame);
    }
    return (plane.n_frames - before) / ((performance.now() - started) / 1000);
  });
  const notes = await page.evaluate(() => document.querySelector(".tip")?.textContent);
  console.log(`map: ${notes}, ${Math.round(box.width)}×${Math.round(box.height)} pixels, ${rate.toFixed(0)} frames a second while dragged`);
  await page.context().close();
}

try {
  const wanted = process.argv.slice(3);
  for (const part of [weight, keys, map]) {
    if (wanted.length === 0 || wanted.includes(part.name)) await part();
  }
} finally {
  await browser.close();
  server.stop();
  cleanUp();
}
