// Find: typing, facets, chips, the note beside the list, keys, phone, dark, no scripts.

import assert from "node:assert/strict";
import { ROOT, accessible, on, serve } from "../browser.mjs";

export async function begin() {
  return { server: await serve(`${ROOT}examples/vault`) };
}

export async function end({ server }) {
  server.stop();
}

const titles = (page) => page.locator(".hit-title").allTextContents();

export const tests = {
  "find as one types": (cx) => on(cx, "/", {}, async (page) => {
    await page.locator("#q").pressSequentially("who repaired the roof", { delay: 20 });
    await page.locator(".hit").first().waitFor();
    await page.waitForFunction(() => document.querySelectorAll(".hit mark").length > 0);
    assert.match(page.url(), /q=who\+repaired\+the\+roof/);
    assert.match(await page.locator(".evidence").textContent(), /evidence/);
    await accessible(page);
  }),

  "find goes back": (cx) => on(cx, "/?q=boiler", {}, async (page) => {
    await page.locator(".hit").first().waitFor();
    await page.locator("#q").fill("kitchen");
    await page.locator("#q").press("Enter");
    await page.waitForFunction(() => location.search.includes("kitchen") && document.querySelector(".hit-excerpt"));
    await page.goBack();
    await page.waitForFunction(() => /** @type {any} */ (document.getElementById("q")).value === "boiler");
    assert.match(page.url(), /q=boiler/);
  }),

  "facet becomes a chip": (cx) => on(cx, "/", {}, async (page) => {
    const facet = page.locator(".facet-group", { hasText: "Tags" }).locator(".facet").first();
    await facet.waitFor();
    const name = (await facet.locator(".facet-name").textContent()).slice(1);
    await facet.click();
    const chip = page.locator(".chip");
    await chip.waitFor();
    assert.equal(await chip.getAttribute("data-condition"), `tag:${name}`);
    assert.equal(new URL(page.url()).searchParams.get("q"), `tag:${name}`);
    await page.locator(".hit").first().waitFor();
    await accessible(page);
    await page.locator(".chip-off").click();
    await page.waitForFunction(() => !location.search.includes("tag"));
    assert.equal(await page.locator(".chip").count(), 0);
  }),

  "chip is typed and taken back": (cx) => on(cx, "/", {}, async (page) => {
    await page.locator("#q").pressSequentially("boiler path:2-Areas/ ");
    await page.locator(".chip").waitFor();
    assert.equal((await page.locator("#q").inputValue()).trim(), "boiler");
    assert.match(new URL(page.url()).searchParams.get("q"), /^boiler path:2-Areas\/$/);
    await page.locator("#q").fill("");
    await page.locator("#q").press("Backspace");
    await page.waitForFunction(() => !document.querySelector(".chip"));
  }),

  "preview at the lines": (cx) => on(cx, "/?q=cartridge", {}, async (page) => {
    await page.locator(".pane .note-body").waitFor();
    await page.locator(".pane .is-found").first().waitFor();
    assert.ok((await page.locator(".pane mark").count()) > 0);
    await page.locator(".alike li").first().waitFor();
    assert.match(await page.locator(".act", { hasText: "Obsidian" }).getAttribute("href"), /^obsidian:\/\/open\?vault=/);
    assert.match(await page.locator(".act", { hasText: "VS Code" }).getAttribute("href"), /^vscode:\/\/file\/.+:\d+$/);
    await page.locator(".hit .quiet", { hasText: "Why" }).first().click();
    await page.locator(".bars tbody tr").first().waitFor();
    await accessible(page);
  }),

  "links lead to notes": (cx) => on(cx, "/?note=Kitchen+Renovation", {}, async (page) => {
    const link = page.locator(".note-body a[data-note]").first();
    await link.waitFor();
    const before = await page.locator(".note h2").first().textContent();
    await link.click();
    await page.waitForFunction((title) => document.querySelector(".note h2")?.textContent !== title, before);
    await page.goBack();
    await page.waitForFunction((title) => document.querySelector(".note h2")?.textContent === title, before);
  }),

  "citation is copied": (cx) => on(cx, "/?q=cartridge", { permissions: ["clipboard-read", "clipboard-write"] }, async (page) => {
    await page.locator(".act", { hasText: "Copy citation" }).click();
    await page.locator(".act", { hasText: "Copied" }).waitFor();
    assert.match(await page.evaluate(() => navigator.clipboard.readText()), /\[\[.+\]\]/);
  }),

  "keyboard only": (cx) => on(cx, "/", {}, async (page) => {
    await page.waitForFunction(() => document.body.dataset.view === "find");
    await page.keyboard.press("/");
    await page.keyboard.type("boiler");
    await page.locator(".hit").nth(1).waitFor();
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelector(".hit.is-chosen"));
    await page.keyboard.press("j");
    assert.equal(await page.locator(".hit.is-chosen").getAttribute("data-index"), "1");
    await page.keyboard.press("k");
    assert.equal(await page.locator(".hit.is-chosen").getAttribute("data-index"), "0");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => location.search.includes("note="));
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => !location.search.includes("note="));
    await page.keyboard.press("?");
    await page.locator("dialog[open]").waitFor();
    await accessible(page);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("dialog[open]").count(), 0);
  }),

  "phone width": (cx) => on(cx, "/?q=boiler", { viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true }, async (page) => {
    await page.locator(".hit").first().waitFor();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the page is wider than the phone");
    await page.locator(".hit-title").first().click();
    await page.locator(".pane.is-open .note-body").waitFor();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the note is wider than the phone");
    await accessible(page);
    await page.locator(".note-close").click();
    await page.locator(".pane.is-open").waitFor({ state: "detached" }).catch(() => {});
    assert.ok(await page.locator(".hit").first().isVisible());
  }),

  "dark": (cx) => on(cx, "/?q=boiler", { colorScheme: "dark" }, async (page) => {
    await page.locator(".hit").first().waitFor();
    const ground = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.match(ground, /rgb\(\d{1,2}, \d{1,2}, \d{1,2}\)/);
    await accessible(page);
  }),

  "no JavaScript": (cx) => on(cx, "/?q=boiler+cartridge", { javaScriptEnabled: false }, async (page) => {
    assert.ok((await titles(page)).length > 0);
    assert.ok((await page.locator(".hit mark").count()) > 0);
    await page.locator(".hit-title").first().click();
    await page.locator(".note-body").waitFor();
    await page.locator("#q").fill("kitchen");
    await page.locator(".box-go").click();
    await page.waitForURL(/q=kitchen/);
    assert.ok((await titles(page)).length > 0);
  }),

  "nothing of a note runs": (cx) => on(cx, "/?q=%3Cscript%3Ealert(1)%3C/script%3E", {}, async (page) => {
    await page.locator(".evidence, .trouble").first().waitFor();
    assert.equal(await page.locator("main script").count(), 0);
    const response = await page.request.get(cx.server.url);
    const policy = response.headers()["content-security-policy"];
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe/);
  }),
};
