// Makes the pictures of the README that show the page: find, ask and map.

import { execFileSync } from "node:child_process";
import { mkdirSync, statSync } from "node:fs";
import { ROOT, cleanUp, launch, open, serve } from "./browser.mjs";

const folder = `${ROOT}docs/images`;
mkdirSync(folder, { recursive: true });
const server = await serve(`${ROOT}examples/vault`);
const browser = await launch();
const size = { viewport: { width: 1200, height: 720 } };

async function take(name, path, options, prepare) {
  const page = await open(browser, server.url, { ...size, ...options });
  await page.goto(server.url + path);
  await prepare(page);
  await page.waitForTimeout(400);
  const file = `${folder}/${name}.png`;
  await page.screenshot({ path: file });
  // Fewer colours make a picture of text a third as large; without the program it is merely larger.
  try {
    execFileSync("pngquant", ["--force", "--strip", "--output", file, "64", file]);
  } catch {}
  console.log(`${file}: ${Math.round(statSync(file).size / 1000)} kB`);
  await page.context().close();
}

try {
  await take("find", "/?q=who+changed+the+boiler+cartridge", {}, (page) => page.locator(".pane .is-found").first().waitFor());
  await take("ask", "/?view=ask", {}, async (page) => {
    await page.locator(".ask-input").fill("Who services the boiler?");
    await page.locator(".ask-input").press("Enter");
    await page.locator(".again").waitFor();
    await page.locator(".cite").first().click();
    await page.locator(".card .is-quote").first().waitFor();
  });
  await take("map", "/?view=see", { colorScheme: "dark" }, (page) => page.waitForFunction(() => document.getElementById("main")?.dataset.ready === "map"));
} finally {
  await browser.close();
  server.stop();
  cleanUp();
}
