// The Markdown of an answer as elements: paragraphs, lists, tables, headings, code, emphasis, the texts of links and citations. No HTML is ever
// taken from it; what is not known stays text.

import { el } from "./dom.js";

/** @typedef {(number: number, occurrence: number) => Node} Cite */

/** @param {string} text @param {Cite} cite @returns {Node[]} */
export function prose(text, cite) {
  const seen = new Map();
  const inline = (/** @type {string} */ line) => spans(line, cite, seen);
  /** @type {Node[]} */
  const out = [];
  for (const block of blocks(text)) {
    if (block.kind === "code") out.push(el("pre", null, el("code", null, block.lines.join("\n"))));
    else if (block.kind === "list") out.push(el(block.isOrdered ? "ol" : "ul", null, block.lines.map((line) => el("li", { dir: "auto" }, inline(line)))));
    else if (block.kind === "table") out.push(table(block.lines, inline));
    else if (block.kind === "heading") out.push(el("h4", { dir: "auto" }, inline(block.lines[0])));
    else if (block.kind === "quote") out.push(el("blockquote", { dir: "auto" }, inline(block.lines.join(" "))));
    else out.push(el("p", { dir: "auto" }, inline(block.lines.join("\n"))));
  }
  return out;
}

/** @param {string[]} rows @param {(text: string) => (Node | string)[]} inline @returns {Node} */
function table(rows, inline) {
  const isRule = (/** @type {string} */ row) => /^[\s|:-]+$/u.test(row) && row.includes("-");
  const cells = (/** @type {string} */ row) => row.replace(/^\|/u, "").replace(/(?<!\\)\|$/u, "").split(/(?<!\\)\|/u).map((cell) => cell.trim().replaceAll("\\|", "|"));
  const drawn = (/** @type {string} */ row, /** @type {"th" | "td"} */ kind) => el("tr", null, cells(row).map((cell) => el(kind, { dir: "auto" }, inline(cell))));
  const hasHead = rows.length > 1 && isRule(rows[1]);
  return el("table", null,
    hasHead ? el("thead", null, drawn(rows[0], "th")) : null,
    el("tbody", null, rows.slice(hasHead ? 2 : 0).filter((row) => !isRule(row)).map((row) => drawn(row, "td"))));
}

/** @typedef {{ kind: string, lines: string[], isOrdered?: boolean }} Block */

/** @param {string} text @returns {Block[]} */
function blocks(text) {
  /** @type {Block[]} */
  const out = [];
  let open = /** @type {Block | null} */ (null);
  const begin = (/** @type {Block} */ block) => (out.push(block), block);
  const within = (/** @type {string} */ kind, isOrdered = false) => (open?.kind === kind ? open : begin({ kind, lines: [], isOrdered }));
  for (const line of text.split("\n")) {
    const item = /^\s*(?:[-*+]|(\d+)[.)])\s+(.*)$/u.exec(line);
    const isFence = /^\s*```/u.test(line);
    if (open?.kind === "code") {
      if (isFence) open = null;
      else open.lines.push(line);
    } else if (isFence) open = begin({ kind: "code", lines: [] });
    else if (!line.trim()) open = null;
    else if (/^#{1,6}\s/u.test(line)) {
      begin({ kind: "heading", lines: [line.replace(/^#+\s+/u, "")] });
      open = null;
    } else if (item) (open = within("list", item[1] !== undefined)).lines.push(item[2]);
    else if (line.startsWith(">")) (open = within("quote")).lines.push(line.replace(/^>\s?/u, ""));
    else if (line.trim().startsWith("|")) (open = within("table")).lines.push(line.trim());
    else if (open?.kind === "list") open.lines[open.lines.length - 1] += ` ${line.trim()}`;
    else (open = within("text")).lines.push(line);
  }
  return out;
}

// A link is its text: where it leads is for notes to say, and `[1]` for citations.
const SPAN = /(\[\d{1,3}\](?!\())|!?\[\[([^\[\]]+)\]\]|!?\[([^\[\]]+)\]\([^()\s]*\)|`([^`]+)`|\*\*([^*]+)\*\*|(?<![\p{L}\p{N}*])\*([^*\s][^*]*)\*/gu;

/** @param {string} line @param {Cite} cite @param {Map<number, number>} seen @returns {(Node | string)[]} */
function spans(line, cite, seen) {
  /** @type {(Node | string)[]} */
  const out = [];
  let at = 0;
  for (const found of line.matchAll(SPAN)) {
    out.push(line.slice(at, found.index));
    const [whole, number, note, link, code, strong, soft] = found;
    if (number) {
      const n = Number(number.slice(1, -1));
      const occurrence = seen.get(n) ?? 0;
      seen.set(n, occurrence + 1);
      out.push(cite(n, occurrence));
    } else if (note) out.push(shown(note));
    else if (link) out.push(...spans(link, cite, seen));
    else if (code) out.push(el("code", null, code));
    else if (strong) out.push(el("strong", null, spans(strong, cite, seen)));
    else out.push(el("em", null, spans(soft, cite, seen)));
    at = found.index + whole.length;
  }
  out.push(line.slice(at));
  return out;
}

/** What is shown of `[[Note#Heading|text]]`. @param {string} target */
function shown(target) {
  const bar = target.indexOf("|");
  return bar < 0 ? target.replace(/#+\^?/gu, " › ").replace(/^ › /u, "") : target.slice(bar + 1);
}
