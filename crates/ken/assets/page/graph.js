// The neighbourhood of a note: links in both directions with the words they are made of, and notes that are alike but
// not linked, in another style. A note that is chosen shows its own links, too; two rings show those of all.

import { get, inPath } from "./api.js";
import { counted, el, fill, say } from "./dom.js";
import { cut, settle, stem } from "./layout.js";
import { Plane, colour, pen, write } from "./plane.js";
import { go, listed, read } from "./state.js";

/** @typedef {import("./types").State} State */
/** @typedef {import("./types").Hit} Hit */
/** @typedef {import("./layout.js").Spot} Spot */
/** @typedef {import("./layout.js").Edge} Edge */
/** @typedef {{ path: string | null, line: number, kind: string, target: string, shown: string | null }} Link */
/** @typedef {{ path: string, outgoing: Link[], backlinks: Link[], unresolved: Link[] }} Links */

const NODES_MAX = 180;
/** Neighbours whose links are asked for where two rings are wanted. */
const EXPANDED_MAX = 40;
const SIMILAR = 8;
const LABEL = 30;

export class GraphView {
  /** @param {HTMLElement} node */
  constructor(node) {
    this.plane = new Plane("Links around a note. J and K go from note to note, Enter opens one and shows its links, C puts it into the middle; arrow keys move, plus and minus zoom. The list beside it has all of it as text.", {
      draw: (cx) => this.draw(cx),
      pick: (x, y) => this.pick(this.nearest(x, y)),
      point: (x, y) => this.point(this.nearest(x, y)),
    });
    this.tip = el("p", { class: "tip", role: "status" });
    this.side = el("aside", { class: "legend", "aria-label": "Links" });
    this.both = el("input", { type: "checkbox", id: "rings", onchange: () => go({ rings: this.both.checked ? "2" : "" }) });
    fill(node, el("div", { class: "stage" }, this.plane.canvas, this.tip,
      el("p", { class: "key" }, el("span", { class: "key-out" }, "links to"), el("span", { class: "key-in" }, "linked from"), el("span", { class: "key-like" }, "alike, not linked")),
      el("p", { class: "stage-acts" }, el("label", { for: "rings" }, this.both, " Two rings"))), this.side);
    /** @type {any} */ (this.plane.canvas).graph = this;
    /** @type {Spot[]} */
    this.nodes = [];
    /** @type {Edge[]} */
    this.edges = [];
    this.near = -1;
    this.chosen = "";
    this.shown = "";
    this.center = "";
    /** What was asked before. @type {Map<string, Promise<Links>>} */
    this.known = new Map();
  }

  /** @param {State} state */
  async show(state) {
    this.chosen = state.note;
    this.both.checked = state.rings === "2";
    const center = state.center || state.note;
    const key = JSON.stringify([center, state.open, state.rings, state.of]);
    if (key === this.shown) return this.plane.changed();
    this.shown = key;
    if (!center) {
      this.nodes = [];
      fill(this.side, el("p", { class: "notice" }, "Choose a note: search for one, or pick one on the map, then “Show links”."));
      return;
    }
    try {
      /** @type {[Links, { hits: Hit[] }]} */
      const [links, { hits }] = await Promise.all([this.links(center), get(`/similar/${inPath(center)}`, { k: SIMILAR })]);
      const open = await this.opened(links, listed(state.open, "\n"), state.rings === "2");
      if (this.shown !== key) return;
      this.build(links, hits, open);
      this.list(links, hits, open);
      const isSame = links.path === this.center;
      this.center = links.path;
      if (!isSame) this.plane.reset();
      this.plane.changed();
      say(`${counted(this.nodes.length, "note")}: ${counted(links.outgoing.length, "link")} from here, ${counted(links.backlinks.length, "link")} to here`);
    } catch (error) {
      fill(this.side, el("p", { class: "trouble", role: "alert" }, error instanceof Error ? error.message : String(error)));
    }
  }

  /** @param {string} path @returns {Promise<Links>} */
  links(path) {
    const asked = this.known.get(path) ?? get(`/links/${inPath(path)}`);
    this.known.set(path, asked);
    asked.catch(() => this.known.delete(path));
    return asked;
  }

  /** Returns the links of the notes that are to show theirs. @param {Links} center @param {string[]} paths @param {boolean} hasRings @returns {Promise<Links[]>} */
  async opened(center, paths, hasRings) {
    const ring = hasRings ? neighbours(center).slice(0, EXPANDED_MAX) : [];
    const wanted = [...new Set([...paths, ...ring])].filter((path) => path !== center.path);
    const found = await Promise.all(wanted.map((path) => this.links(path).catch(() => null)));
    return found.filter((links) => links !== null);
  }

  /** Places what is known already where it was. @param {Links} center @param {Hit[]} hits @param {Links[]} open */
  build(center, hits, open) {
    const before = new Map(this.nodes.map((node) => [node.path, node]));
    const isNew = center.path !== this.center;
    this.nodes = [{ path: center.path, label: stem(center.path), x: 0.5, y: 0.5, vx: 0, vy: 0, kind: "self", isOpen: true }];
    this.edges = [];
    const known = new Map([[center.path, 0]]);
    const add = (/** @type {number} */ from, /** @type {string} */ path, /** @type {string} */ label, /** @type {string} */ kind, /** @type {string} */ words) => {
      let at = known.get(path);
      if (at === undefined) {
        if (this.nodes.length >= NODES_MAX) return;
        at = this.nodes.length;
        known.set(path, at);
        const old = isNew ? undefined : before.get(path);
        const turn = at * 2.399963;
        const away = from ? 0.06 : 0.12 + 0.3 * Math.sqrt(at / NODES_MAX);
        const [x, y] = old ? [old.x, old.y] : [this.nodes[from].x + away * Math.cos(turn), this.nodes[from].y + away * Math.sin(turn)];
        this.nodes.push({ path, label, x, y, vx: 0, vy: 0, kind: from ? "far" : kind, isOpen: false });
      } else if (kind === "like" || at === from) return;
      const twin = this.edges.find((edge) => (edge.from === from && edge.to === at) || (edge.from === at && edge.to === from));
      if (!twin) this.edges.push({ from, to: at, kind, label: words });
      else if (twin.from === from ? twin.kind !== kind : twin.kind === kind) twin.kind = "both";
    };
    const around = (/** @type {Links} */ links, /** @type {number} */ from) => {
      for (const link of links.outgoing) if (link.path) add(from, link.path, stem(link.path), "out", link.shown ?? link.target);
      for (const link of links.backlinks) if (link.path) add(from, link.path, stem(link.path), "in", link.shown ?? link.target);
    };
    around(center, 0);
    for (const hit of hits) add(0, hit.path, hit.title, "like", `alike ${hit.score.toFixed(2)}`);
    for (const links of open) {
      const at = known.get(links.path);
      if (at === undefined) continue;
      this.nodes[at].isOpen = true;
      around(links, at);
    }
    settle(this.nodes, this.edges);
  }

  /** @param {CanvasRenderingContext2D} cx */
  draw(cx) {
    const { plane, nodes, edges } = this;
    const at = this.near >= 0 ? this.near : nodes.findIndex((node) => node.path === this.chosen);
    const inks = { out: colour("accent"), in: colour("fair"), both: colour("accent"), like: colour("soft"), self: colour("accent"), far: colour("soft") };
    for (const edge of edges) {
      const [a, b] = [nodes[edge.from], nodes[edge.to]];
      const isNear = edge.from === at || edge.to === at;
      cx.strokeStyle = inks[/** @type {keyof typeof inks} */ (edge.kind)];
      cx.setLineDash(edge.kind === "like" ? [4, 5] : []);
      cx.lineWidth = isNear && at > 0 ? 2.25 : 1.25;
      cx.globalAlpha = at < 1 || isNear ? 0.8 : 0.25;
      cx.beginPath();
      cx.moveTo(plane.toX(a.x), plane.toY(a.y));
      cx.lineTo(plane.toX(b.x), plane.toY(b.y));
      cx.stroke();
      if (edge.kind === "out" || edge.kind === "both") arrow(cx, plane, [a, b]);
      if (edge.kind === "in" || edge.kind === "both") arrow(cx, plane, [b, a]);
    }
    cx.setLineDash([]);
    cx.globalAlpha = 1;
    nodes.forEach((node, index) => this.dot(cx, node, index, inks));
    this.drawLabels(cx, at);
  }

  /** @param {CanvasRenderingContext2D} cx @param {Spot} node @param {number} index @param {Record<string, string>} inks */
  dot(cx, node, index, inks) {
    const [x, y] = [this.plane.toX(node.x), this.plane.toY(node.y)];
    cx.beginPath();
    cx.arc(x, y, index === 0 ? 9 : node.kind === "far" ? 4.5 : 6, 0, 2 * Math.PI);
    cx.fillStyle = node.kind === "like" || node.kind === "far" ? colour("ground") : inks[node.kind];
    cx.fill();
    cx.lineWidth = 1.5;
    cx.strokeStyle = inks[node.kind];
    cx.stroke();
    if (node.path !== this.chosen && index !== this.near) return;
    cx.beginPath();
    cx.arc(x, y, 12, 0, 2 * Math.PI);
    cx.strokeStyle = colour("accent");
    cx.stroke();
  }

  /** Writes names where there is room, those that matter first; words of links where they say more than the name. @param {CanvasRenderingContext2D} cx @param {number} at */
  drawLabels(cx, at) {
    const { plane, nodes } = this;
    /** @type {import("./plane.js").Box[]} */
    const taken = nodes.map((node) => [plane.toX(node.x) - 7, plane.toY(node.y) - 7, plane.toX(node.x) + 7, plane.toY(node.y) + 7]);
    const order = nodes.map((_, index) => index).sort((a, b) => Number(b === at) - Number(a === at) || Number(b === 0) - Number(a === 0) || Number(nodes[a].kind === "far") - Number(nodes[b].kind === "far") || a - b);
    for (const index of order) {
      const node = nodes[index];
      pen(cx, index === 0 || index === at ? "600 13px" : "12px", node.kind === "far" ? "soft" : "ink");
      // What is in the middle or pointed at is named in any case.
      const inTheWay = index === 0 || index === at ? [] : taken;
      write(cx, cut(node.label, LABEL), plane.toX(node.x), plane.toY(node.y) + 22, inTheWay);
      if (inTheWay !== taken) taken.push(...inTheWay);
    }
    pen(cx, "11px", "soft");
    for (const edge of this.edges) {
      const [a, b] = [nodes[edge.from], nodes[edge.to]];
      const isSaid = edge.kind !== "like" && edge.label.toLowerCase() !== (edge.kind === "in" ? a : b).label.toLowerCase();
      if (isSaid) write(cx, `“${cut(edge.label, 24)}”`, plane.toX((a.x + b.x) / 2), plane.toY((a.y + b.y) / 2) - 3, taken);
    }
  }

  /** @param {number} x @param {number} y */
  nearest(x, y) {
    const reach = 16 / this.plane.unit;
    return this.nodes.findIndex((node) => Math.hypot(node.x - x, node.y - y) < reach);
  }

  /** @param {number} near */
  point(near) {
    if (near === this.near) return;
    this.near = near;
    this.tip.textContent = near < 0 ? "" : this.nodes[near].path;
    this.plane.canvas.style.cursor = near < 0 ? "grab" : "pointer";
    this.plane.changed();
  }

  /** Opens a note beside the graph and its links in it; once more, and its links are folded again. @param {number} index */
  pick(index) {
    const node = this.nodes[index];
    if (!node) return;
    const open = listed(read().open, "\n");
    const isShown = node.path === this.chosen && open.includes(node.path);
    const others = open.filter((path) => path !== node.path);
    const isCenter = index === 0;
    go({ note: node.path, of: read().of, from: "", line: 0, center: this.center, open: (isShown || isCenter ? others : [...others, node.path]).join("\n") });
  }

  /** Puts a note into the middle. @param {number} index */
  recenter(index) {
    const node = this.nodes[index];
    if (node) go({ note: node.path, of: read().of, from: "", line: 0, center: node.path, open: "" });
  }

  /** The same as text, as deep as the graph. @param {Links} links @param {Hit[]} hits @param {Links[]} open */
  list(links, hits, open) {
    const shown = new Map(open.map((one) => [one.path, one]));
    /** @type {(path: string, title: string, words: string, isOuter: boolean) => HTMLElement} */
    const item = (path, title, words, isOuter) => {
      const below = isOuter ? shown.get(path) : undefined;
      const button = el("button", { type: "button", class: "facet", "aria-expanded": isOuter ? String(Boolean(below)) : null, onclick: () => this.pick(this.nodes.findIndex((node) => node.path === path)) },
        el("bdi", { class: "facet-name" }, title), el("span", { class: "facet-n" }, words.toLowerCase() === title.toLowerCase() ? "" : cut(words, 28)));
      const inner = below ? el("ul", { class: "inner" }, neighbours(below).filter((other) => other !== links.path).map((other) => item(other, stem(other), "", false))) : null;
      return el("li", null, button, inner);
    };
    const group = (/** @type {string} */ title, /** @type {(Node | null)[]} */ items) => (items.length ? el("section", { class: "facet-group" }, el("h3", null, title), el("ul", null, items)) : null);
    const linked = new Set(neighbours(links));
    fill(this.side,
      el("h2", { dir: "auto" }, stem(links.path)),
      group("Links to", unique(links.outgoing).map((link) => item(link.path ?? "", stem(link.path ?? ""), link.shown ?? "", true))),
      group("Linked from", unique(links.backlinks).map((link) => item(link.path ?? "", stem(link.path ?? ""), link.shown ?? "", true))),
      group("Alike, not linked", hits.filter((hit) => !linked.has(hit.path)).map((hit) => item(hit.path, hit.title, hit.score.toFixed(2), true))),
      group("Lead nowhere", links.unresolved.map((link) => el("li", { class: "hit-how" }, `${link.target} (line ${link.line})`))),
      this.nodes.length >= NODES_MAX ? el("p", { class: "notice" }, `Only ${NODES_MAX} notes are drawn.`) : null);
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const n = this.nodes.length;
    const step = { j: 1, k: -1, n: 1, p: -1 }[event.key];
    if (step && n) {
      const from = this.near >= 0 ? this.near : Math.max(0, this.nodes.findIndex((node) => node.path === this.chosen));
      this.point((from + step + n) % n);
      say(this.nodes[this.near].label);
    } else if (event.key === "Enter" && this.near >= 0) this.pick(this.near);
    else if (event.key === "c" && this.near >= 0) this.recenter(this.near);
    else return this.plane.key(event);
    return true;
  }

  leave() {
    this.plane.leave();
  }
}

/** @param {Links} links @returns {string[]} */
function neighbours(links) {
  const paths = [...links.outgoing, ...links.backlinks].map((link) => link.path);
  return [...new Set(paths.filter((path) => path !== null))];
}

/** @param {Link[]} links */
function unique(links) {
  return [...new Map(links.map((link) => [link.path, link])).values()];
}

/** @param {CanvasRenderingContext2D} cx @param {Plane} plane @param {[Spot, Spot]} ends */
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
