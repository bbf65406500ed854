// A cited passage, opened in place with the quote marked.

import { get, inPath } from "./api.js";
import { el, fill, setSanitised } from "./dom.js";
import { markQuote, markWords } from "./note.js";
import { place } from "./places.js";
import { address } from "./state.js";

/** @typedef {import("./types").Citation} Citation */

/** Says what checking a citation came to. @param {Citation | undefined} one @returns {{ name: string, label: string }} */
export function verdict(one) {
  if (!one || one.citation_verified === null || one.citation_verified === undefined) return { name: "open", label: "not checked" };
  if (one.citation_verified) return { name: "good", label: one.quote ? "verified: the quote stands there" : "verified: the passage bears it out" };
  const reasons = { not_found: "the quote does not stand there", too_short: "too short to be checked", no_chunk_text: "what is cited cannot be opened", no_quote: "nothing is quoted" };
  const reason = reasons[/** @type {keyof typeof reasons} */ (one.citation_reason ?? "")] ?? "the passage does not bear it out";
  return { name: "bad", label: `not verified: ${one.problem ?? reason}` };
}

/** Makes a card that opens a passage. @param {Citation} found @param {Citation | undefined} checked @param {string} domain */
export function card(found, checked, domain) {
  const { name, label } = verdict(checked);
  const body = el("div", { class: "card-body note-body", tabindex: "0", role: "region", "aria-label": `Passage from ${found.title}` }, "…");
  const node = el(
    "aside",
    { class: `card card-${name}`, "aria-label": `Citation ${found.number}` },
    el("p", { class: "card-head" },
      el("span", { class: "card-n" }, `[${found.number}]`),
      el("a", { href: address({ note: found.path, line: found.start_line ?? 0, domain, of: found.domain ?? "" }), dir: "auto" }, found.title),
      el("bdi", { class: "hit-place", dir: "ltr" }, place(found))),
    el("p", { class: `verdict verdict-${name}` }, label),
    body,
  );
  load(body, found, checked);
  return node;
}

/** @param {HTMLElement} body @param {Citation} found @param {Citation | undefined} checked */
async function load(body, found, checked) {
  try {
    if (found.attached) {
      fill(body, el("p", null, found.excerpt ?? ""));
      return;
    }
    /** @type {import("./types").Preview} */
    const note = await get(`/preview/${inPath(found.path)}`, found.start_line ? { line: found.start_line } : {}, found.domain ? { domain: found.domain } : {});
    const whole = el("div");
    setSanitised(whole, note.html);
    const blocks = /** @type {HTMLElement[]} */ ([...whole.querySelectorAll(":scope > [data-line], :scope > pre > [data-line]")]);
    const [start, end] = [found.start_line ?? 1, found.end_line ?? 0];
    const inside = blocks.filter((block) => Number(block.dataset.line) <= end && Number(block.dataset.end) >= start);
    fill(body, inside.length ? inside : [el("p", null, found.excerpt ?? "")]);
    if (checked?.quote) markQuote(body, checked.quote);
    else if (checked?.claim) markWords([body], checked.claim.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 4));
    body.querySelector(".is-quote")?.scrollIntoView({ block: "nearest" });
  } catch (error) {
    fill(body, el("p", { class: "trouble" }, error instanceof Error ? error.message : String(error)));
  }
}
