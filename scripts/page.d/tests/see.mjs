// See and Keep: graph, walk, map, calendar, and what is to be kept an eye on.

import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { ROOT, accessible, on, serve } from "../browser.mjs";

export async function begin() {
  return { server: await serve(`${ROOT}examples/vault`) };
}

export async function end({ server }) {
  server.stop();
}

/** Whether anything is drawn. */
const isDrawn = () => {
  const canvas = /** @type {HTMLCanvasElement} */ (document.querySelector("canvas.plane"));
  const blank = document.createElement("canvas");
  [blank.width, blank.height] = [canvas?.width ?? 0, canvas?.height ?? 0];
  return Boolean(canvas) && canvas.toDataURL() !== blank.toDataURL();
};

export const tests = {
  "graph of a note": (cx) => on(cx, "/?view=see&see=graph&note=2-Areas/Home/Boiler.md", {}, async (page) => {
    await page.locator(".pane .note-body").waitFor();
    await page.waitForFunction(isDrawn);
    await page.locator(".note-close").click();
    await page.waitForFunction(() => !location.search.includes("note="));
    await accessible(page);
  }),

  "graph as text": (cx) => on(cx, "/?view=see&see=graph&note=Boiler", {}, async (page) => {
    await page.locator(".legend h2").first().waitFor({ state: "attached" });
    const groups = await page.locator(".legend h3").allTextContents();
    assert.deepEqual(groups.slice(0, 3), ["Links to", "Linked from", "Alike, not linked"]);
  }),

  "graph with two rings, by keyboard": (cx) => on(cx, "/?view=see&see=graph&center=1-Projects/Kitchen+Renovation.md", {}, async (page) => {
    await page.locator(".legend .facet").first().waitFor();
    const drawn = () => page.evaluate(() => /** @type {any} */ (document.querySelector("canvas.plane")).graph.nodes.length);
    const one = await drawn();
    await page.locator("#rings").check();
    await page.locator(".inner .facet").first().waitFor();
    const two = await drawn();
    assert.ok(two > one, `${two} notes in two rings, ${one} in one`);
    assert.match(page.url(), /rings=2/);
    await accessible(page);
    await page.goBack();
    await page.waitForFunction(() => !document.querySelector(".inner"));
    // J goes to the next note, Enter opens it and its links, C puts it into the middle.
    await page.locator("canvas.plane").focus();
    await page.keyboard.press("j");
    await page.keyboard.press("Enter");
    await page.locator(".pane .note-body").waitFor();
    const { note, center, open } = Object.fromEntries(new URL(page.url()).searchParams);
    assert.ok(note !== center && open === note, page.url());
    await page.reload();
    await page.locator(".pane .note-body").waitFor();
    await page.waitForFunction(() => /** @type {any} */ (document.querySelector("canvas.plane")).graph.nodes.some((node, at) => at && node.isOpen));
    await page.locator("canvas.plane").focus();
    await page.keyboard.press("j");
    await page.keyboard.press("c");
    await page.waitForFunction((before) => new URL(location.href).searchParams.get("center") !== before, center);
  }),

  "walk step by step": (cx) => on(cx, "/?view=see&see=walk&note=1-Projects/Kitchen+Renovation.md", {}, async (page) => {
    await page.locator(".step").first().waitFor();
    assert.equal(await page.locator(".step").count(), 1);
    await page.locator(".act", { hasText: "Next step" }).click();
    await page.locator(".step").nth(1).waitFor();
    assert.match(await page.locator(".step").nth(1).locator(".hit-how").first().textContent(), /link/);
    await accessible(page);
    await page.locator(".walk-q").fill("who pays");
    await page.locator(".walk-form .primary").click();
    await page.waitForFunction(() => document.querySelectorAll(".step").length === 1);
    await page.locator(".act", { hasText: "Next step" }).click();
    await page.locator(".step").nth(1).waitFor();
    // The address has the question and the step.
    await page.reload();
    await page.locator(".step").nth(1).waitFor();
    assert.equal(await page.locator(".walk-q").inputValue(), "who pays");
  }),

  "map of the vault": (cx) => on(cx, "/?view=see", {}, async (page) => {
    await page.waitForFunction(() => document.getElementById("main")?.dataset.ready === "map");
    await page.waitForFunction(isDrawn);
    assert.ok((await page.locator(".regions li").count()) >= 3);
    await accessible(page);
    // By keyboard: zoom in, move, and back to the whole.
    await page.locator("canvas.plane").focus();
    const zoom = () => page.evaluate(() => /** @type {any} */ (document.querySelector("canvas.plane")).plane.zoom);
    await page.keyboard.press("+");
    assert.ok((await zoom()) > 1);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("0");
    assert.equal(await zoom(), 1);
    await page.mouse.wheel(0, -300);
    // Every note can be reached by the pointer.
    const spot = await page.evaluate(async () => {
      const plane = /** @type {any} */ (document.querySelector("canvas.plane")).plane;
      plane.reset();
      const map = await (await fetch("/map")).json();
      const box = plane.canvas.getBoundingClientRect();
      return { x: box.left + plane.toX(map.x[0] / 10000), y: box.top + plane.toY(map.y[0] / 10000) };
    });
    await page.mouse.move(spot.x, spot.y);
    await page.mouse.down();
    await page.mouse.up();
    await page.locator(".pane .note-body").waitFor();
  }),

  "map where one looked, by keyboard": (cx) => on(cx, "/?view=see", {}, async (page) => {
    await page.waitForFunction(() => document.getElementById("main")?.dataset.ready === "map");
    await page.locator(".regions button").nth(1).click();
    await page.waitForURL(/at=.*region=1/);
    const zoom = () => page.evaluate(() => /** @type {any} */ (document.querySelector("canvas.plane")).plane.zoom.toFixed(2));
    const before = await zoom();
    await page.reload();
    await page.waitForFunction(() => document.getElementById("main")?.dataset.ready === "map");
    assert.equal(await zoom(), before);
    assert.equal(await page.locator(".regions [aria-pressed=true]").count(), 1);
    await page.keyboard.press("j");
    const name = await page.locator(".tip").textContent();
    await page.keyboard.press("Enter");
    await page.locator(".pane .note-body").waitFor();
    assert.ok(name.startsWith(await page.locator(".note h2").first().textContent()), name);
  }),

  "calendar by keyboard": (cx) => on(cx, "/?view=see&see=calendar", {}, async (page) => {
    await page.locator(".has-notes").first().waitFor();
    await accessible(page);
    // One day is in the order of Tab, arrows go to the others.
    assert.equal(await page.locator(".has-notes[tabindex='0']").count(), 1);
    const day = () => page.evaluate(() => /** @type {any} */ (document.activeElement).dataset.day);
    await page.keyboard.press("ArrowLeft");
    const first = await day();
    await page.keyboard.press("ArrowUp");
    const month = await day();
    assert.ok(month.slice(0, 7) < first.slice(0, 7), `${month} ${first}`);
    await page.keyboard.press("PageUp");
    const year = await day();
    assert.ok(year.slice(0, 4) < month.slice(0, 4), `${year} ${month}`);
    await page.keyboard.press("Enter");
    await page.locator(".chip", { hasText: `on:${year}` }).waitFor();
    await page.locator(".hit").first().waitFor();
    await page.goBack();
    await page.waitForFunction((wanted) => /** @type {any} */ (document.activeElement).dataset.day === wanted, year);
  }),

  "keep": async (cx) => {
    writeFileSync(`${cx.server.notes}/Dead.md`, "# Dead\n\n[[Nowhere at all]]\n");
    await on(cx, "/?view=keep", {}, async (page) => {
      await page.locator(".figures").waitFor();
      await page.locator(".act", { hasText: "Bring up to date" }).click();
      await page.waitForFunction(() => /1 added/.test(document.querySelector(".reload [role=status]")?.textContent ?? ""));
      await page.locator("td", { hasText: "Nowhere at all" }).waitFor();
      await accessible(page);
    });
  },

  "see on a phone, in the dark": (cx) => on(cx, "/?view=see", { viewport: { width: 390, height: 800 }, colorScheme: "dark", isMobile: true, hasTouch: true }, async (page) => {
    await page.waitForFunction(() => document.getElementById("main")?.dataset.ready === "map");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the map is wider than the phone");
    await accessible(page);
  }),
};
