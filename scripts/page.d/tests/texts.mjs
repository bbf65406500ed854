// Several domains, text from right to left, code, long names, paper, and the installed page.

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT, accessible, folder, on, serve } from "../browser.mjs";

const LONG = "A name that goes on and on because whoever wrote it kept everything in one line and never pressed the key";
const ARABIC = "# تجديد المطبخ\n\nالجدران مطلية باللون الأبيض في متجر IKEA القريب.\n\n- اشتر الطلاء\n- اتصل بالسباك\n";
const CODE = "# Watering\n\n```rust\nlet n = 1; // drops of the pump\n```\n\n```html\n<b onclick=\"x\">y</b>\n```\n";

/** A second vault, with what is hard to show. */
function garden() {
  const notes = join(folder(), "garden");
  mkdirSync(notes);
  writeFileSync(join(notes, "مطبخ.md"), ARABIC);
  writeFileSync(join(notes, "Code.md"), CODE);
  writeFileSync(join(notes, "pump.py"), "# waters the beds\ndef water(n):\n    return 'done'\n");
  writeFileSync(join(notes, `${LONG}.md`), `# ${LONG}\n\nThe boiler of the greenhouse and ${"unbroken".repeat(20)}.\n`);
  return notes;
}

export async function begin() {
  const settings = `[domains.house]\npath = "{notes}"\n[domains.garden]\npath = "${garden()}"\n`;
  return { server: await serve(`${ROOT}examples/vault`, { settings }) };
}

export async function end({ server }) {
  server.stop();
}

const isWide = () => document.documentElement.scrollWidth > innerWidth;

export const tests = {
  "several domains": (cx) => on(cx, "/?q=boiler&domain=house", {}, async (page) => {
    await page.locator(".hit").first().waitFor();
    assert.equal(await page.locator(".hit-domain").count(), 0);
    const domains = page.locator(".facet-group", { hasText: "Domains" }).locator(".facet");
    await domains.filter({ hasText: "garden" }).click();
    await page.locator(".hit-domain", { hasText: "garden" }).first().waitFor();
    await page.locator(".hit-domain", { hasText: "house" }).first().waitFor();
    assert.deepEqual(await page.locator(".chip").evaluateAll((all) => all.map((one) => one.dataset.condition)), ["domain:house", "domain:garden"]);
    assert.equal(new URL(page.url()).searchParams.get("domain"), "house,garden");
    // A note of each can be read, and "Why this?" asks its own domain.
    for (const name of ["garden", "house"]) {
      await page.locator(".hit", { has: page.locator(".hit-domain", { hasText: name }) }).locator(".hit-title").first().click();
      await page.waitForFunction((name) => new URL(location.href).searchParams.get("of") === name, name);
      await page.locator(".pane .note-body").waitFor();
      await page.waitForFunction(() => document.querySelector(".hit.is-chosen .hit-title")?.textContent === document.querySelector(".note h2")?.textContent);
    }
    await page.locator(".hit", { has: page.locator(".hit-domain", { hasText: "garden" }) }).locator(".quiet", { hasText: "Why" }).first().click();
    await page.locator(".bars tbody tr").first().waitFor();
    await accessible(page);
    await page.locator(".chip", { hasText: "house" }).locator(".chip-off").click();
    await page.waitForFunction(() => !document.querySelector(".hit-domain") && document.querySelectorAll(".hit").length > 0);
    await page.locator("#q").fill("boiler domain:house ");
    await page.locator(".chip", { hasText: "house" }).waitFor();
    // What was searched is what is asked about.
    await page.locator(".views a[data-view=ask]").click();
    await page.waitForFunction(() => document.querySelectorAll(".scope .chip").length === 2);
    assert.match(page.url(), /scope=/);
  }),

  "several domains without JavaScript": (cx) => on(cx, "/?q=boiler&domain=house,garden", { javaScriptEnabled: false }, async (page) => {
    const names = new Set(await page.locator(".hit-domain").allTextContents());
    assert.deepEqual([...names].sort(), ["garden", "house"]);
    await page.locator(".hit", { has: page.locator(".hit-domain", { hasText: "garden" }) }).locator(".hit-title").first().click();
    await page.locator(".note-body", { hasText: "greenhouse" }).waitFor();
  }),

  "text from right to left": (cx) => on(cx, `/?q=${encodeURIComponent("المطبخ")}&domain=garden`, {}, async (page) => {
    await page.locator(".pane .note-body li").first().waitFor();
    const directions = await page.evaluate(() => [".hit-title", ".hit-excerpt", ".note h2", ".note-body .block:last-of-type li"].map((one) => getComputedStyle(/** @type {Element} */ (document.querySelector(one))).direction));
    assert.deepEqual(directions, ["rtl", "rtl", "rtl", "rtl"]);
    // A path is read from its beginning, whatever its names are written in.
    assert.equal(await page.evaluate(() => getComputedStyle(/** @type {Element} */ (document.querySelector(".hit-place bdi"))).direction), "ltr");
    await accessible(page);
  }),

  "code has colours": (cx) => on(cx, "/?note=Code.md&domain=garden", {}, async (page) => {
    await page.locator(".note-body .code-keyword", { hasText: "let" }).waitFor();
    assert.equal(await page.locator(".note-body .code-comment").textContent(), "// drops of the pump");
    assert.equal(await page.locator(".note-body [onclick]").count(), 0);
    await accessible(page);
    await page.goto(`${cx.server.url}/?note=pump.py&domain=garden&line=2`);
    await page.locator(".line.is-found .code-keyword", { hasText: "def" }).waitFor();
    const [line, source] = await page.evaluate(() => [".line", "pre.source"].map((one) => document.querySelector(one)?.getBoundingClientRect().width ?? 0));
    assert.ok(line > 300 && source > 300, "the lines have no room");
  }),

  "names that are too long": (cx) => on(cx, "/?q=greenhouse&domain=garden", { viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true }, async (page) => {
    await page.locator(".hit").first().waitFor();
    assert.ok(!(await page.evaluate(isWide)), "the list is wider than the phone");
    await page.locator(".hit-title").first().click();
    await page.locator(".pane.is-open .note-body").waitFor();
    assert.ok(!(await page.evaluate(isWide)), "the note is wider than the phone");
  }),

  "on paper": (cx) => on(cx, "/?q=boiler&domain=house", { colorScheme: "dark", viewport: { width: 794, height: 1123 } }, async (page) => {
    await page.locator(".hit").nth(1).waitFor();
    await page.emulateMedia({ media: "print" });
    const shown = (one) => page.locator(one).first().isVisible();
    assert.deepEqual([await shown(".hit"), await shown(".pane"), await shown(".bar"), await shown(".facets")], [true, false, false, false]);
    const ink = await page.evaluate(() => getComputedStyle(document.body).color);
    assert.equal(ink, "rgb(0, 0, 0)");
    await page.emulateMedia({ media: "screen" });
    await page.locator(".hit-title").first().click();
    await page.locator(".pane .note-body").waitFor();
    await page.emulateMedia({ media: "print" });
    assert.deepEqual([await shown(".hit"), await shown(".pane .note-body"), await shown(".note-acts")], [false, true, false]);
    assert.ok(!(await page.evaluate(isWide)), "the note is wider than the paper");
  }),

  "nothing was found": (cx) => on(cx, "/?q=zebra+chromodynamics+tag:home&domain=house", {}, async (page) => {
    await page.locator(".nothing a", { hasText: "without the filters" }).click();
    await page.waitForFunction(() => !location.search.includes("tag"));
  }),

  "can be installed": (cx) => on(cx, "/", {}, async (page) => {
    const session = await page.context().newCDPSession(page);
    const { errors, url } = await session.send("Page.getAppManifest");
    assert.deepEqual(errors, []);
    const manifest = await (await page.request.get(url)).json();
    for (const icon of manifest.icons) {
      const reply = await page.request.get(cx.server.url + icon.src);
      assert.equal(reply.headers()["content-type"], icon.type);
      if (icon.type !== "image/png") continue;
      const body = await reply.body();
      assert.equal(`${body.readUInt32BE(16)}x${body.readUInt32BE(20)}`, icon.sizes);
    }
  }),
};
