// The neighbourhood of a note: links in both directions with the words they are made of, and notes that are alike but
// not linked, in another style.

import { get, inPath } from "./api.js";
import { counted, el, fill, say } from "./dom.js";
import { Plane, colour } from "./plane.js";
import { go } from "./state.js";

/** @typedef {{ path: string | null, line: number, kind: string, target: string, shown: string | null }} Link */
/** @typedef {{ path: string, outgoing: Link[], backlinks: Link[], unresolved: Link[] }} Links */
/** @typedef {{ path: string, label: string, x: number, y: number, vx: number, vy: number, kind: string }} Node_ */
/** @typedef {{ from: number, to: number, kind: string, label: string }} Edge */

const NODES_MAX = 80;
const SIMILAR = 8;
const ROUNDS = 240;

export class GraphView {
  /** @param {HTMLElement} node */
  constructor(node) {
    this.plane = new Plane("Links around a note. Arrow keys move, plus and minus zoom; the list beside it has all of it as text.", {
      draw: (cx) => this.draw(cx),
      pick: (x, y) => this.pick(x, y),
      point: (x, y) => this.point(x, y),
    });
    this.tip = el("p", { class: "tip", role: "status" });
    this.side = el("aside", { class: "legend", "aria-label": "Links" });
    fill(node, el("div", { class: "stage" }, this.plane.canvas, this.tip, el("p", { class: "key" }, el("span", { class: "key-out" }, "links to"), el("span", { class: "key-in" }, "linked from"), el("span", { class: "key-like" }, "alike, not linked"))), this.side);
    /** @type {Node_[]} */
    this.nodes = [];
    /** @type {Edge[]} */
    this.edges = [];
    this.near = -1;
    this.shown = "";
  }

  /** @param {string} path */
  async show(path) {
    if (path === this.shown) return;
    this.shown = path;
    if (!path) {
      fill(this.side, el("p", { class: "notice" }, "Choose a note: search for one, or pick one on the map, then “Show links”."));
      return;
    }
    try {
      /** @type {[Links, { hits: import("./types").Hit[] }]} */
      const [links, { hits }] = await Promise.all([get(`/links/${inPath(path)}`), get(`/similar/${inPath(path)}`, { k: SIMILAR })]);
      if (this.shown !== path) return;
      this.build(links, hits);
      this.list(links, hits);
      say(`${counted(links.outgoing.length, "link")} from here, ${counted(links.backlinks.length, "link")} to here`);
    } catch (error) {
      fill(this.side, el("p", { class: "trouble" }, error instanceof Error ? error.message : String(error)));
    }
  }

  /** @param {Links} links @param {import("./types").Hit[]} hits */
  build(links, hits) {
    this.nodes = [{ path: links.path, label: stem(links.path), x: 0.5, y: 0.5, vx: 0, vy: 0, kind: "self" }];
    this.edges = [];
    const known = new Map([[links.path, 0]]);
    const add = (/** @type {string} */ path, /** @type {string} */ label, /** @type {string} */ kind, /** @type {string} */ words) => {
      let at = known.get(path);
      if (at === undefined) {
        if (this.nodes.length >= NODES_MAX) return;
        at = this.nodes.length;
        known.set(path, at);
        const turn = at * 2.399963;
        const away = 0.12 + 0.3 * Math.sqrt(at / NODES_MAX);
        this.nodes.push({ path, label, x: 0.5 + away * Math.cos(turn), y: 0.5 + away * Math.sin(turn), vx: 0, vy: 0, kind });
      } else if (kind === "like") return;
      if (!this.edges.some((edge) => edge.to === at && edge.kind === kind)) this.edges.push({ from: 0, to: at, kind, label: words });
    };
    for (const link of links.outgoing) if (link.path) add(link.path, stem(link.path), "out", link.shown ?? link.target);
    for (const link of links.backlinks) if (link.path) add(link.path, stem(link.path), "in", link.shown ?? link.target);
    for (const hit of hits) add(hit.path, hit.title, "like", `alike ${hit.score.toFixed(2)}`);
    settle(this.nodes, this.edges);
    this.plane.reset();
  }

  /** @param {CanvasRenderingContext2D} cx */
  draw(cx) {
    const { plane, nodes, edges } = this;
    const inks = { out: colour("accent"), in: colour("fair"), like: colour("soft"), self: colour("accent") };
    cx.font = `12px ${getComputedStyle(document.body).fontFamily}`;
    cx.textAlign = "center";
    for (const edge of edges) {
      const [a, b] = [nodes[edge.from], nodes[edge.to]];
      cx.strokeStyle = inks[/** @type {"out" | "in" | "like"} */ (edge.kind)];
      cx.setLineDash(edge.kind === "like" ? [4, 5] : []);
      cx.lineWidth = this.near === edge.to ? 2.5 : 1.25;
      cx.globalAlpha = this.near < 0 || this.near === edge.to ? 0.8 : 0.25;
      cx.beginPath();
      cx.moveTo(plane.toX(a.x), plane.toY(a.y));
      cx.lineTo(plane.toX(b.x), plane.toY(b.y));
      cx.stroke();
      if (edge.kind !== "like") arrow(cx, plane, edge.kind === "out" ? [a, b] : [b, a]);
      if ((plane.zoom > 1.6 || nodes.length <= 14 || this.near === edge.to) && edge.kind !== "like") {
        cx.fillStyle = colour("soft");
        cx.fillText(cut(edge.label, 24), plane.toX((a.x + b.x) / 2), plane.toY((a.y + b.y) / 2) - 3);
      }
    }
    cx.setLineDash([]);
    cx.globalAlpha = 1;
    nodes.forEach((node, at) => this.dot(cx, node, at, inks));
  }

  /** @param {CanvasRenderingContext2D} cx @param {Node_} node @param {number} at @param {Record<string, string>} inks */
  dot(cx, node, at, inks) {
    const [x, y] = [this.plane.toX(node.x), this.plane.toY(node.y)];
    cx.beginPath();
    cx.arc(x, y, at === 0 ? 9 : 6, 0, 2 * Math.PI);
    cx.fillStyle = node.kind === "like" ? colour("ground") : inks[node.kind];
    cx.fill();
    cx.lineWidth = 1.5;
    cx.strokeStyle = inks[node.kind];
    cx.stroke();
    const isCrowded = this.nodes.length > 30 && this.plane.zoom < 1.5;
    if (isCrowded && at !== 0 && at !== this.near) return;
    cx.lineWidth = 4;
    cx.lineJoin = "round";
    cx.strokeStyle = colour("ground");
    cx.fillStyle = colour("ink");
    if (at === 0) cx.font = cx.font.replace("12px", "600 13px");
    cx.strokeText(cut(node.label, 30), x, y + 22);
    cx.fillText(cut(node.label, 30), x, y + 22);
    if (at === 0) cx.font = cx.font.replace("600 13px", "12px");
  }

  /** @param {number} x @param {number} y */
  nearest(x, y) {
    const reach = 16 / this.plane.unit;
    return this.nodes.findIndex((node) => Math.hypot(node.x - x, node.y - y) < reach);
  }

  /** @param {number} x @param {number} y */
  point(x, y) {
    const near = this.nearest(x, y);
    if (near === this.near) return;
    this.near = near;
    this.tip.textContent = near < 0 ? "" : this.nodes[near].path;
    this.plane.canvas.style.cursor = near < 0 ? "grab" : "pointer";
    this.plane.changed();
  }

  /** @param {number} x @param {number} y */
  pick(x, y) {
    const near = this.nearest(x, y);
    if (near >= 0) go({ note: this.nodes[near].path, from: "", line: 0 });
  }

  /** The same as text. @param {Links} links @param {import("./types").Hit[]} hits */
  list(links, hits) {
    const item = (/** @type {string} */ path, /** @type {string} */ title, /** @type {string} */ words) =>
      el("li", null, el("button", { type: "button", class: "facet", onclick: () => go({ note: path, from: "", line: 0 }) }, el("bdi", { class: "facet-name" }, title), el("span", { class: "facet-n" }, cut(words, 28))));
    const group = (/** @type {string} */ title, /** @type {(Node | null)[]} */ items) => (items.length ? el("section", { class: "facet-group" }, el("h3", null, title), el("ul", null, items)) : null);
    const linked = new Set([...links.outgoing, ...links.backlinks].map((link) => link.path));
    fill(this.side,
      el("h2", null, stem(links.path)),
      group("Links to", unique(links.outgoing).map((link) => item(link.path ?? "", stem(link.path ?? ""), link.shown ?? ""))),
      group("Linked from", unique(links.backlinks).map((link) => item(link.path ?? "", stem(link.path ?? ""), link.shown ?? ""))),
      group("Alike, not linked", hits.filter((hit) => !linked.has(hit.path)).map((hit) => item(hit.path, hit.title, hit.score.toFixed(2)))),
      group("Lead nowhere", links.unresolved.map((link) => el("li", { class: "hit-how" }, `${link.target} (line ${link.line})`))));
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    return this.plane.key(event);
  }

  leave() {
    this.plane.leave();
  }
}

/** @param {Link[]} links */
function unique(links) {
  return [...new Map(links.map((link) => [link.path, link])).values()];
}

/** @param {string} path */
export function stem(path) {
  return (path.split("/").at(-1) ?? path).replace(/\.[^.]+$/u, "");
}

/** @param {string} text @param {number} most */
function cut(text, most) {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** @param {CanvasRenderingContext2D} cx @param {Plane} plane @param {[Node_, Node_]} ends */
function arrow(cx, plane, [a, b]) {
  const turn = Math.atan2(b.y - a.y, b.x - a.x);
  const [x, y] = [plane.toX(b.x) - 9 * Math.cos(turn), plane.toY(b.y) - 9 * Math.sin(turn)];
  cx.fillStyle = cx.strokeStyle;
  cx.beginPath();
  cx.moveTo(x, y);
  cx.lineTo(x - 8 * Math.cos(turn - 0.4), y - 8 * Math.sin(turn - 0.4));
  cx.lineTo(x - 8 * Math.cos(turn + 0.4), y - 8 * Math.sin(turn + 0.4));
  cx.fill();
}

/** Lets nodes push each other away and edges draw them together, until they rest. @param {Node_[]} nodes @param {Edge[]} edges */
export function settle(nodes, edges) {
  const wanted = Math.min(0.32, 0.14 + nodes.length * 0.004);
  for (let round = 0; round < ROUNDS; round++) {
    const heat = 1 - round / ROUNDS;
    for (let a = 0; a < nodes.length; a++) {
      for (let b = a + 1; b < nodes.length; b++) {
        const [dx, dy] = [nodes[a].x - nodes[b].x, nodes[a].y - nodes[b].y];
        const away = Math.max(1e-4, dx * dx + dy * dy);
        const push = 0.0006 / away;
        nodes[a].vx += dx * push; nodes[a].vy += dy * push;
        nodes[b].vx -= dx * push; nodes[b].vy -= dy * push;
      }
    }
    for (const { from, to } of edges) {
      const [dx, dy] = [nodes[to].x - nodes[from].x, nodes[to].y - nodes[from].y];
      const length = Math.max(1e-3, Math.hypot(dx, dy));
      const pull = ((length - wanted) / length) * 0.08;
      nodes[to].vx -= dx * pull; nodes[to].vy -= dy * pull;
      nodes[from].vx += dx * pull; nodes[from].vy += dy * pull;
    }
    for (const node of nodes) {
      node.x += Math.max(-0.05, Math.min(0.05, node.vx * heat));
      node.y += Math.max(-0.05, Math.min(0.05, node.vy * heat));
      node.vx *= 0.6; node.vy *= 0.6;
    }
    // The note itself stays in the middle.
    const [mx, my] = [nodes[0].x - 0.5, nodes[0].y - 0.5];
    for (const node of nodes) [node.x, node.y] = [node.x - mx, node.y - my];
  }
}
