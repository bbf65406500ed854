// Makes the icons of the page as PNG from its SVG: for phones, for installing, and one that may be cut to any shape.

import { readFileSync } from "node:fs";
import { ROOT, launch } from "./browser.mjs";

const folder = `${ROOT}crates/ken/assets/page`;
const svg = readFileSync(`${folder}/icon.svg`, "utf8");
const [, ground] = /fill="(#[0-9a-f]{6})"/.exec(svg);
const browser = await launch();
const sizes = [["icon-180", 180, true], ["icon-192", 192, false], ["icon-512", 512, false], ["icon-mask-512", 512, true]];
for (const [name, size, isWhole] of sizes) {
  const page = await browser.newPage({ viewport: { width: size, height: size } });
  // What may be cut keeps everything that matters inside of a circle.
  const inner = isWhole ? "width: 80%; margin: 10%" : "width: 100%";
  const sharp = isWhole ? svg.replace(/ rx="\d+"/, "") : svg;
  await page.setContent(`<style>body { margin: 0; background: ${isWhole ? ground : "transparent"} } svg { display: block; ${inner} }</style>${sharp}`);
  await page.screenshot({ path: `${folder}/${name}.png`, omitBackground: true });
  await page.close();
}
await browser.close();
