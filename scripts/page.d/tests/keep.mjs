// Keep and See with several domains, and the review queue: ticked, written, taken back.

import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { accessible, folder, on, serve } from "../browser.mjs";

/** A vault with a queue of proposals. */
function garden() {
  const vault = folder();
  const write = (name, text) => writeFileSync(join(vault, name), text);
  write("_taxonomy.md", "- garden: plants\n- roof: tiles\n");
  write("_review-queue.md", "# Review queue\n\n## [[Allotment|Allotment]]\n\n- [ ] `#garden` 0.55: its title says so\n- [ ] `#roof` 0.30: it may be\n\nMy own words.\n");
  write("Allotment.md", "Tomatoes and beans.\n");
  write("Roof.md", "---\ntags: roof\n---\nTiles and gutters.\n");
  write("Tools.md", "---\ntags: roof\n---\nA ladder.\n");
  return vault;
}

export async function begin() {
  const other = folder();
  mkdirSync(join(other, "sea"));
  for (const name of ["Boat", "Harbour", "Tide"]) writeFileSync(join(other, "sea", `${name}.md`), `# ${name}\n\nA note on the ${name}. [[Boat]]\n`);
  const settings = `[curate]\nhttp = true\n[domains.garden]\npath = "{notes}"\n[domains.sea]\npath = "${other}"\n`;
  return { server: await serve(garden(), { settings }) };
}

export async function end({ server }) {
  server.stop();
}

export const tests = {
  "proposals are ticked, written and taken back": (cx) => on(cx, "/?view=keep", {}, async (page) => {
    const file = (name) => readFileSync(join(cx.server.notes, name), "utf8");
    const before = [file("Allotment.md"), file("_review-queue.md")];
    const write = page.locator(".review .act", { hasText: "Write" });
    await write.waitFor();
    assert.ok(await write.isDisabled());
    await page.locator("label", { hasText: "#garden" }).click();
    await page.getByRole("button", { name: "Refuse #roof" }).click();
    await accessible(page);
    assert.deepEqual([file("Allotment.md"), file("_review-queue.md")], before);
    await page.locator(".act", { hasText: "Write 1 tag into notes" }).click();
    await page.waitForFunction(() => /2 files written/.test(document.querySelector(".review [role=status]")?.textContent ?? ""));
    assert.equal(file("Allotment.md"), "---\ntags:\n  - garden\n---\nTomatoes and beans.\n");
    assert.match(file("_review-queue.md"), /- \[-\] `#roof`.*\n\nMy own words\./u);
    await page.locator(".act", { hasText: "Take back" }).click();
    await page.waitForFunction(() => /took back ken tags promote/.test(document.querySelector(".review [role=status]")?.textContent ?? ""));
    assert.deepEqual([file("Allotment.md"), file("_review-queue.md")], before);
    await page.locator("label", { hasText: "#garden" }).waitFor();
  }),

  "a domain is chosen in Keep and See": (cx) => on(cx, "/?view=keep", {}, async (page) => {
    await page.locator(".figures dd", { hasText: /^\d+$/u }).first().waitFor();
    await page.locator("#domain").selectOption("sea");
    await page.waitForURL(/domain=sea/u);
    await page.waitForFunction(() => document.querySelector(".figures dd")?.textContent === "3");
    await page.goto(`${cx.server.url}/?view=see&domain=sea`);
    await page.waitForFunction(() => document.getElementById("main")?.dataset.ready === "map");
    await page.locator(".tip", { hasText: "3 notes" }).waitFor();
    await accessible(page);
    await page.locator("#domain").selectOption("garden");
    await page.waitForURL((url) => !url.search.includes("domain=sea"));
    await page.locator(".tip", { hasText: /^[24] notes/u }).waitFor();
    await page.goBack();
    await page.locator(".tip", { hasText: "3 notes" }).waitFor();
  }),
};
