// A plane that is dragged, zoomed and walked by keys. Who draws on it is told the scale; frames are drawn only when
// something changed.

import { el } from "./dom.js";

const ZOOM_MAX = 60;
const ZOOM_MIN = 0.4;
const STEP = 60;
/** A plane that has not moved for so long rests. */
const REST_MS = 250;

export class Plane {
  /**
   * @param {string} label What it shows, for those who cannot see it.
   * @param {{ draw: (cx: CanvasRenderingContext2D, plane: Plane) => void, pick?: (x: number, y: number) => void, point?: (x: number, y: number) => void, moved?: () => void }} does
   *   `pick` and `point` are told places of the plane; `moved` is called when it rests again.
   */
  constructor(label, does) {
    this.does = does;
    this.canvas = el("canvas", { class: "plane", tabindex: "0", role: "application", "aria-label": label });
    this.cx = /** @type {CanvasRenderingContext2D} */ (this.canvas.getContext("2d"));
    this.zoom = 1;
    this.x = 0;
    this.y = 0;
    this.width = 1;
    this.height = 1;
    this.frame = 0;
    /** Frames that were drawn, for measurements. */
    this.n_frames = 0;
    /** @type {Map<number, { x: number, y: number }>} */
    this.held = new Map();
    this.moved = 0;
    this.listen();
    this.watch = new ResizeObserver(() => this.resize());
    this.watch.observe(this.canvas);
    this.rest = 0;
    this.redraw = () => this.changed();
    addEventListener("themechange", this.redraw);
  }

  /** Something else is looked at. */
  moves() {
    this.changed();
    clearTimeout(this.rest);
    this.rest = setTimeout(() => this.does.moved?.(), REST_MS);
  }

  leave() {
    clearTimeout(this.rest);
    this.watch.disconnect();
    removeEventListener("themechange", this.redraw);
  }

  /** Pixels that one unit of the plane takes; the whole plane is one unit wide. */
  get unit() {
    return Math.min(this.width, this.height) * 0.92 * this.zoom;
  }

  /** @param {number} x */
  toX(x) {
    return (x - 0.5) * this.unit + this.width / 2 + this.x;
  }

  /** @param {number} y */
  toY(y) {
    return (y - 0.5) * this.unit + this.height / 2 + this.y;
  }

  /** @param {number} px @param {number} py @returns {[number, number]} */
  fromPixels(px, py) {
    return [(px - this.width / 2 - this.x) / this.unit + 0.5, (py - this.height / 2 - this.y) / this.unit + 0.5];
  }

  changed() {
    this.frame ||= requestAnimationFrame(() => {
      this.frame = 0;
      this.n_frames += 1;
      this.cx.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
      this.cx.clearRect(0, 0, this.width, this.height);
      this.does.draw(this.cx, this);
    });
  }

  resize() {
    const { width, height } = this.canvas.getBoundingClientRect();
    if (!width || !height) return;
    [this.width, this.height] = [width, height];
    this.canvas.width = Math.round(width * devicePixelRatio);
    this.canvas.height = Math.round(height * devicePixelRatio);
    this.changed();
  }

  /** Zooms around a pixel. @param {number} factor @param {number} [px] @param {number} [py] */
  zoomBy(factor, px = this.width / 2, py = this.height / 2) {
    const [x, y] = this.fromPixels(px, py);
    this.zoom = Math.min(ZOOM_MAX, Math.max(ZOOM_MIN, this.zoom * factor));
    this.x += px - this.toX(x);
    this.y += py - this.toY(y);
    this.moves();
  }

  /** @param {number} dx @param {number} dy */
  panBy(dx, dy) {
    this.x += dx;
    this.y += dy;
    this.moves();
  }

  /** Brings a place into the middle. @param {number} x @param {number} y @param {number} [zoom] */
  center(x, y, zoom = this.zoom) {
    this.zoom = zoom;
    this.x += this.width / 2 - this.toX(x);
    this.y += this.height / 2 - this.toY(y);
    this.moves();
  }

  reset() {
    [this.zoom, this.x, this.y] = [1, 0, 0];
    this.moves();
  }

  /** @param {KeyboardEvent} event @returns {boolean} */
  key(event) {
    /** @type {Record<string, () => void>} */
    const keys = {
      "+": () => this.zoomBy(1.25), "=": () => this.zoomBy(1.25), "-": () => this.zoomBy(0.8), "0": () => this.reset(),
      ArrowLeft: () => this.panBy(STEP, 0), ArrowRight: () => this.panBy(-STEP, 0),
      ArrowUp: () => this.panBy(0, STEP), ArrowDown: () => this.panBy(0, -STEP),
    };
    keys[event.key]?.();
    return event.key in keys;
  }

  listen() {
    const { canvas } = this;
    const at = (/** @type {MouseEvent} */ event) => {
      const box = canvas.getBoundingClientRect();
      return { x: event.clientX - box.left, y: event.clientY - box.top };
    };
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const { x, y } = at(event);
      this.zoomBy(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0016)), x, y);
    }, { passive: false });
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      this.held.set(event.pointerId, at(event));
      this.moved = 0;
    });
    canvas.addEventListener("pointermove", (event) => {
      const now = at(event);
      const before = this.held.get(event.pointerId);
      if (!before) {
        this.does.point?.(...this.fromPixels(now.x, now.y));
        return;
      }
      this.drag(event.pointerId, before, now);
    });
    const release = (/** @type {PointerEvent} */ event) => {
      const { x, y } = at(event);
      const wasHeld = this.held.delete(event.pointerId);
      if (wasHeld && event.type === "pointerup" && this.moved < 5 && this.held.size === 0) this.does.pick?.(...this.fromPixels(x, y));
    };
    canvas.addEventListener("pointerup", release);
    canvas.addEventListener("pointercancel", release);
  }

  /** One finger moves the plane, two zoom it. @param {number} id @param {{x: number, y: number}} before @param {{x: number, y: number}} now */
  drag(id, before, now) {
    const [dx, dy] = [now.x - before.x, now.y - before.y];
    this.moved += Math.abs(dx) + Math.abs(dy);
    const other = [...this.held].find(([held]) => held !== id)?.[1];
    this.held.set(id, now);
    if (!other) return this.panBy(dx, dy);
    const length = (/** @type {{x: number, y: number}} */ p) => Math.hypot(p.x - other.x, p.y - other.y);
    this.zoomBy(length(now) / Math.max(1, length(before)), (now.x + other.x) / 2, (now.y + other.y) / 2);
  }
}

/** What is written takes a place. @typedef {[number, number, number, number]} Box */

/** @param {CanvasRenderingContext2D} cx @param {string} size @param {string} ink */
export function pen(cx, size, ink) {
  cx.font = `${size} ${getComputedStyle(document.body).fontFamily}`;
  cx.textAlign = "center";
  cx.lineWidth = 4;
  cx.lineJoin = "round";
  cx.strokeStyle = colour("ground");
  cx.fillStyle = colour(ink);
}

/** Writes where there is room, and not across the edge. @param {CanvasRenderingContext2D} cx @param {string} text @param {number} x @param {number} y @param {Box[]} taken */
export function write(cx, text, x, y, taken) {
  const width = cx.measureText(text).width / 2 + 6;
  const edge = cx.canvas.clientWidth;
  if (x > 0 && x < edge && 2 * width < edge) x = Math.min(Math.max(x, width), edge - width);
  const box = /** @type {Box} */ ([x - width, y - 13, x + width, y + 5]);
  if (taken.some((other) => box[0] < other[2] && box[2] > other[0] && box[1] < other[3] && box[3] > other[1])) return;
  taken.push(box);
  cx.strokeText(text, x, y);
  cx.fillText(text, x, y);
}

/** Reads a colour of the theme. @param {string} name */
export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
