// The map of the vault: every note a point near what it is like, regions named by their telling words.

import { get } from "./api.js";
import { byId, counted, el, fill, say } from "./dom.js";
import { cut } from "./layout.js";
import { Plane, colour, pen, write } from "./plane.js";
import { go, read, remember } from "./state.js";

/** @typedef {{ drawn: boolean, regions: { words: string[], x: number, y: number, n_notes: number }[], paths: string[], titles: string[], x: number[], y: number[], region: number[] }} MapAnswer */

const SCALE = 10_000;
/** Milliseconds after which the server is asked again whether it has drawn the map. */
const RETRY_AFTER = 1_500;
/** Points are circles from so many pixels on. */
const CIRCLES_FROM = 5;
/** Most notes in sight whose titles are written beside them. */
const TITLED_MAX = 70;

export class MapView {
  /** @param {HTMLElement} node */
  constructor(node) {
    this.plane = new Plane("Map of all notes. J and K go from note to note, Enter opens one; arrow keys move, plus and minus zoom, Tab lists the regions.", {
      draw: (cx) => this.draw(cx),
      pick: (x, y) => this.pick(x, y),
      point: (x, y) => this.point(x, y),
      moved: () => this.keep(),
    });
    this.tip = el("p", { class: "tip", role: "status" });
    this.list = el("ol", { class: "regions", "aria-label": "Regions" });
    /** @type {MapAnswer | null} */
    this.map = null;
    this.near = -1;
    this.chosen = -1;
    this.path = "";
    this.isGone = false;
    /** @type {ImageData | undefined} */
    this.image = undefined;
    fill(node, el("div", { class: "stage" }, this.plane.canvas, this.tip), el("aside", { class: "legend", "aria-label": "Regions" }, el("h2", null, "Regions"), this.list));
    /** @type {any} */ (this.plane.canvas).plane = this.plane;
    this.load();
  }

  async load() {
    this.tip.textContent = "The map is being drawn …";
    try {
      /** @type {MapAnswer} */
      const map = await get("/map");
      // A large vault takes a while the first time; the server goes on drawing.
      if (!map.drawn) {
        if (!this.isGone) setTimeout(() => this.load(), RETRY_AFTER);
        return;
      }
      this.map = map;
      const { paths, regions } = map;
      this.order = this.byRegion();
      this.tip.textContent = `${counted(paths.length, "note")} in ${counted(regions.length, "region")}`;
      say(this.tip.textContent);
      fill(this.list, regions.map((region, at) => el("li", null, el("button", { type: "button", class: "facet", onclick: () => this.visit(at) },
        this.dot(at), el("bdi", { class: "facet-name" }, name(region)), el("span", { class: "facet-n" }, String(region.n_notes))))));
      this.look();
      byId("main").dataset.ready = "map";
    } catch (error) {
      this.tip.textContent = error instanceof Error ? error.message : String(error);
    }
  }

  /** Looks where the address says. */
  look() {
    const { at, region } = read();
    const [x, y, zoom] = at.split(",").map(Number);
    this.chosen = region === "" ? -1 : Number(region);
    this.mark();
    if (at && [x, y, zoom].every(Number.isFinite)) this.plane.center(x / SCALE, y / SCALE, zoom);
    else if (this.map?.regions[this.chosen]) this.visitRegion(this.chosen);
    else this.plane.changed();
  }

  /** The address says where one looks. */
  keep() {
    const [x, y] = this.plane.fromPixels(this.plane.width / 2, this.plane.height / 2);
    const isWhole = this.plane.zoom === 1 && this.plane.x === 0 && this.plane.y === 0;
    const at = isWhole ? "" : [x * SCALE, y * SCALE].map(Math.round).join(",") + `,${Number(this.plane.zoom.toFixed(2))}`;
    if (!this.isGone && read().view === "see") remember({ at, region: this.chosen < 0 ? "" : String(this.chosen) });
  }

  /** The note that is read is marked. @param {import("./types").State} state */
  show(state) {
    this.path = state.note;
    this.plane.changed();
  }

  /** Tells which region is chosen. */
  mark() {
    [...this.list.querySelectorAll("button")].forEach((button, at) => button.setAttribute("aria-pressed", String(at === this.chosen)));
  }

  /** @param {number} at */
  dot(at) {
    const dot = el("i", { class: "dot" });
    dot.style.background = `rgb(${hue(at).join(" ")})`;
    return dot;
  }

  /** Points of one colour are drawn together. @returns {number[][]} */
  byRegion() {
    const map = /** @type {MapAnswer} */ (this.map);
    /** @type {number[][]} */
    const order = map.regions.map(() => []);
    map.region.forEach((region, at) => order[region].push(at));
    return order;
  }

  /** @param {number} at */
  visit(at) {
    this.chosen = this.chosen === at ? -1 : at;
    this.mark();
    if (this.chosen < 0) this.plane.reset();
    else this.visitRegion(at);
    this.plane.canvas.focus();
  }

  /** Zooms so that a region fills the plane. @param {number} at */
  visitRegion(at) {
    const map = /** @type {MapAnswer} */ (this.map);
    const points = this.order?.[at] ?? [];
    const [xs, ys] = [points.map((one) => map.x[one]), points.map((one) => map.y[one])].map((all) => all.sort((a, b) => a - b));
    // A few notes far from the others would make all of them small.
    const ends = (/** @type {number[]} */ all) => [all[Math.floor(all.length * 0.05)], all[Math.ceil(all.length * 0.95) - 1]];
    const [[left, right], [top, bottom]] = [ends(xs), ends(ys)];
    const reach = Math.max(right - left, bottom - top, SCALE / 20);
    this.plane.center((left + right) / 2 / SCALE, (top + bottom) / 2 / SCALE, Math.min(12, Math.max(1, (SCALE * 0.8) / reach)));
  }

  /** @param {CanvasRenderingContext2D} cx */
  draw(cx) {
    const { plane, map } = this;
    if (!map) return;
    const n = map.paths.length;
    const size = Math.min(11, Math.max(1.7, 60 / Math.sqrt(n)) * Math.sqrt(Math.max(1, plane.zoom)));
    const unit = plane.unit / SCALE;
    const [left, top] = [plane.toX(0), plane.toY(0)];
    const at = { unit, left, top, size };
    const seen = size < CIRCLES_FROM ? this.drawDots(cx, at) : this.drawCircles(cx, at);
    cx.globalAlpha = 1;
    const taken = this.drawNames(cx, unit, left, top);
    if (seen.length <= TITLED_MAX) this.drawTitles(cx, seen, taken, at);
    const read = this.path ? map.paths.indexOf(this.path) : -1;
    for (const one of [read, this.near]) if (one >= 0) this.drawNear(cx, map.x[one] * unit + left, map.y[one] * unit + top);
  }

  /** @param {number} region */
  alpha(region) {
    return this.chosen < 0 || this.chosen === region ? 0.85 : 0.15;
  }

  /** @param {CanvasRenderingContext2D} cx @param {View} view @returns {number[]} The notes in sight. */
  drawCircles(cx, { unit, left, top, size }) {
    const { plane } = this;
    const map = /** @type {MapAnswer} */ (this.map);
    /** @type {number[]} */
    const seen = [];
    for (const [region, points] of (this.order ?? []).entries()) {
      cx.globalAlpha = this.alpha(region);
      cx.fillStyle = `rgb(${hue(region).join(" ")})`;
      cx.beginPath();
      for (const at of points) {
        const [x, y] = [map.x[at] * unit + left, map.y[at] * unit + top];
        if (x < -size || y < -size || x > plane.width + size || y > plane.height + size) continue;
        seen.push(at);
        cx.moveTo(x + size / 2, y);
        cx.arc(x, y, size / 2, 0, 2 * Math.PI);
      }
      cx.fill();
    }
    return seen;
  }

  /** Many small points are written as pixels, which takes a tenth of the time of drawing them. @param {CanvasRenderingContext2D} cx @param {View} view @returns {number[]} */
  drawDots(cx, { unit, left, top, size }) {
    const map = /** @type {MapAnswer} */ (this.map);
    const { width, height } = this.plane.canvas;
    if (this.image?.width !== width || this.image.height !== height) this.image = cx.createImageData(width, height);
    const pixels = new Uint32Array(this.image.data.buffer);
    pixels.fill(0);
    const scale = devicePixelRatio;
    const n = Math.max(2, Math.round(size * scale));
    /** @type {number[]} */
    const seen = [];
    for (const [region, points] of (this.order ?? []).entries()) {
      const [r, g, b] = hue(region);
      const ink = ((Math.round(this.alpha(region) * 255) << 24) | (b << 16) | (g << 8) | r) >>> 0;
      for (const at of points) {
        const x = Math.round((map.x[at] * unit + left) * scale);
        const y = Math.round((map.y[at] * unit + top) * scale);
        if (x < 0 || y < 0 || x + n >= width || y + n >= height) continue;
        seen.push(at);
        for (let row = y; row < y + n; row++) pixels.fill(ink, row * width + x, row * width + x + n);
      }
    }
    cx.putImageData(this.image, 0, 0);
    return seen;
  }

  /** @param {CanvasRenderingContext2D} cx @param {number} unit @param {number} left @param {number} top @returns {Box[]} */
  drawNames(cx, unit, left, top) {
    const map = /** @type {MapAnswer} */ (this.map);
    pen(cx, "600 13px", "ink");
    /** @type {Box[]} */
    const taken = [];
    for (const region of map.regions) {
      const [x, y] = [region.x * unit + left, region.y * unit + top];
      // A name gives way to those of larger regions.
      write(cx, name(region), x, y + 4, taken);
    }
    return taken;
  }

  /** Where few notes are in sight, their titles are, too. @param {CanvasRenderingContext2D} cx @param {number[]} seen @param {Box[]} taken @param {{ unit: number, left: number, top: number, size: number }} at */
  drawTitles(cx, seen, taken, { unit, left, top, size }) {
    const map = /** @type {MapAnswer} */ (this.map);
    pen(cx, "11px", "soft");
    for (const at of seen) write(cx, cut(map.titles[at], 34), map.x[at] * unit + left, map.y[at] * unit + top + size / 2 + 12, taken);
  }

  /** @param {CanvasRenderingContext2D} cx @param {number} x @param {number} y */
  drawNear(cx, x, y) {
    cx.beginPath();
    cx.arc(x, y, 7, 0, 2 * Math.PI);
    cx.lineWidth = 2;
    cx.strokeStyle = colour("accent");
    cx.stroke();
  }

  /** Returns the note nearest to a place, if one is near. @param {number} x @param {number} y */
  nearest(x, y) {
    const { map, plane } = this;
    if (!map) return -1;
    const reach = (14 / plane.unit) * SCALE;
    let best = reach * reach;
    let found = -1;
    for (let at = 0; at < map.x.length; at++) {
      const [dx, dy] = [map.x[at] - x * SCALE, map.y[at] - y * SCALE];
      const away = dx * dx + dy * dy;
      if (away < best) [best, found] = [away, at];
    }
    return found;
  }

  /** @param {number} x @param {number} y */
  point(x, y) {
    const near = this.nearest(x, y);
    if (near === this.near || !this.map) return;
    this.near = near;
    this.plane.canvas.style.cursor = near < 0 ? "grab" : "pointer";
    this.tip.textContent = near < 0 ? counted(this.map.paths.length, "note") : `${this.map.titles[near]} — ${this.map.paths[near]}`;
    this.plane.changed();
  }

  /** @param {number} x @param {number} y */
  pick(x, y) {
    const near = this.nearest(x, y);
    if (near >= 0 && this.map) go({ note: this.map.paths[near], of: read().of, from: "", line: 0 });
  }

  /** J and K go through the notes in sight, from the middle outwards; Enter opens one. @param {KeyboardEvent} event */
  key(event) {
    const step = { j: 1, n: 1, k: -1, p: -1 }[event.key];
    if (step && this.map) this.walkTo(step);
    else if (event.key === "Enter" && this.near >= 0 && this.map) go({ note: this.map.paths[this.near], of: read().of, from: "", line: 0 });
    else return this.plane.key(event);
    return true;
  }

  /** @param {number} step */
  walkTo(step) {
    const map = /** @type {MapAnswer} */ (this.map);
    const { plane } = this;
    const [mx, my] = plane.fromPixels(plane.width / 2, plane.height / 2);
    const away = (/** @type {number} */ at) => Math.hypot(map.x[at] / SCALE - mx, map.y[at] / SCALE - my);
    const isSeen = (/** @type {number} */ at) => {
      const [x, y] = [plane.toX(map.x[at] / SCALE), plane.toY(map.y[at] / SCALE)];
      return x >= 0 && y >= 0 && x <= plane.width && y <= plane.height && (this.chosen < 0 || map.region[at] === this.chosen);
    };
    const seen = map.paths.map((_, at) => at).filter(isSeen).sort((a, b) => away(a) - away(b) || a - b);
    if (seen.length === 0) return;
    const at = seen.indexOf(this.near);
    this.near = seen[(at + step + seen.length + Number(at < 0 && step < 0)) % seen.length];
    this.tip.textContent = `${map.titles[this.near]} — ${map.paths[this.near]}`;
    say(map.titles[this.near]);
    plane.changed();
  }

  leave() {
    this.isGone = true;
    this.plane.leave();
  }
}

/** @typedef {import("./plane.js").Box} Box */
/** @typedef {{ unit: number, left: number, top: number, size: number }} View */

/** @param {{ words: string[] }} region */
function name(region) {
  return region.words.join(" · ") || "…";
}

/** Returns the colour of a region; neighbours in the list are far apart on the wheel. @param {number} region @returns {[number, number, number]} */
function hue(region) {
  const isDark = document.documentElement.dataset.theme === "dark";
  const [turn, strength, light] = [(172 + region * 137.5) % 360, 0.5, isDark ? 0.62 : 0.42];
  const reach = strength * Math.min(light, 1 - light);
  const part = (/** @type {number} */ n) => {
    const k = (n + turn / 30) % 12;
    return Math.round(255 * (light - reach * Math.max(-1, Math.min(k - 3, 9 - k, 1))));
  };
  return [part(0), part(8), part(4)];
}
