// Begins here: the box, the views, the theme and the keys. Views other than Find are loaded when they are first seen.

import { setDomains } from "./api.js";
import { join, show, split } from "./chips.js";
import { byId, el } from "./dom.js";
import { FindView } from "./find.js";
import { isTyping, showHelp } from "./keys.js";
import { go, listed, onChange, read, tell } from "./state.js";

/** @typedef {import("./types").View} View */
/** @typedef {import("./types").State} State */

const main = byId("main");
const box = /** @type {HTMLInputElement} */ (byId("q"));
/** @type {Record<string, string>} */
const NAMES = { f: "find", a: "ask", s: "see", k: "keep" };

/** Conditions that are shown as chips. @type {string[]} */
let chips = [];
/** Whether what is typed goes on from what was typed before: "back" returns to before all of it. */
let isTypingOn = false;
/** @type {View | null} */
let view = null;
let shown = "";

/** @type {Record<string, (main: HTMLElement) => Promise<View>>} */
const VIEWS = {
  find: async (node) => new FindView(node),
  ask: async (node) => new (await import("./ask.js")).AskView(node),
  see: async (node) => new (await import("./see.js")).SeeView(node),
  keep: async (node) => new (await import("./keep.js")).KeepView(node),
};

/** @param {State} state */
async function update(state) {
  setDomains(listed(state.domain), state.of);
  // Who types is not disturbed: what stands in the box stays there until it is finished.
  if (!isTypingOn || document.activeElement !== box) {
    const { words, conditions } = split(state.q);
    [box.value, chips] = [words, conditions];
  }
  const domains = listed(state.domain).map((name) => `domain:${name}`);
  show(state.view === "find" ? [...domains, ...chips] : [], remove);
  document.title = state.q ? `${state.q} · Kenning` : "Kenning";
  for (const link of document.querySelectorAll(".views a")) {
    const isHere = /** @type {HTMLElement} */ (link).dataset.view === state.view;
    if (isHere) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  if (shown !== state.view) {
    shown = state.view;
    document.body.dataset.view = state.view;
    view?.leave?.();
    view = null;
    const made = await VIEWS[state.view](main);
    if (shown !== state.view) return;
    view = made;
    state = read();
  }
  view?.update(state);
}

/** @param {string} words @param {string[]} conditions @param {boolean} isStep */
function setQuery(words, conditions, isStep) {
  go({ view: "find", q: join(words, conditions), note: "", from: "", line: 0 }, { isStep });
}

/** Takes a chip away. @param {string} one */
function remove(one) {
  const name = one.replace(/^domain:/u, "");
  const domains = listed(read().domain);
  if (name !== one && domains.includes(name)) go({ domain: domains.filter((other) => other !== name).join(","), note: "", line: 0 });
  else setQuery(box.value, chips.filter((other) => other !== one), true);
}

/** Domains are asked, not searched for: what is typed of them goes to the others. @param {string[]} conditions @returns {string[]} The rest. */
function takeDomains(conditions) {
  const named = conditions.filter((one) => one.startsWith("domain:")).map((one) => one.slice(7).replaceAll('"', ""));
  if (named.length) go({ domain: [...new Set([...listed(read().domain), ...named])].join(",") });
  return conditions.filter((one) => !one.startsWith("domain:"));
}

box.addEventListener("input", () => {
  document.body.dataset.typing = "1";
  // A condition becomes a chip as soon as it is finished.
  const typed = /\s$/u.test(box.value) ? split(box.value) : { words: box.value, conditions: [] };
  if (typed.conditions.length) box.value = typed.words ? `${typed.words} ` : "";
  const isStep = !isTypingOn || typed.conditions.length > 0;
  isTypingOn = true;
  chips = [...new Set([...chips, ...takeDomains(typed.conditions)])];
  setQuery(typed.words, chips, isStep);
});

box.addEventListener("blur", () => (isTypingOn = false));

byId("box").addEventListener("submit", (event) => {
  event.preventDefault();
  document.body.dataset.typing = "";
  isTypingOn = false;
  const { words, conditions } = split(box.value);
  go({ view: "find", q: join(words, [...new Set([...chips, ...takeDomains(conditions)])]), note: "", from: "", line: 0 });
  if (matchMedia("(pointer: fine)").matches) main.focus();
  else box.blur();
  tell();
});

box.addEventListener("keydown", (event) => {
  if (event.key === "Backspace" && box.value === "" && chips.length) {
    event.preventDefault();
    chips = chips.slice(0, -1);
    setQuery("", chips, true);
  } else if (event.key === "Escape") {
    event.preventDefault();
    main.focus();
  } else if (event.key === "ArrowDown") {
    if (view?.key?.(event)) event.preventDefault();
  }
});

let isGoing = false;

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyping(event.target) || document.querySelector("dialog[open]")) return;
  if (isGoing && NAMES[event.key]) go({ view: NAMES[event.key] });
  else if (event.key === "g") {
    isGoing = true;
    setTimeout(() => (isGoing = false), 900);
    return;
  } else if (event.key === "/") {
    box.focus();
    box.select();
  } else if (event.key === "?") showHelp();
  else if (event.key === "t") setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
  else if (event.key === "Enter" && event.target instanceof Element && event.target.closest("button, summary, a:not(.hit-title)")) return;
  else if (!view?.key?.(event)) return;
  isGoing = false;
  event.preventDefault();
});

document.querySelector(".views")?.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? /** @type {HTMLElement | null} */ (event.target.closest("a")) : null;
  if (!link || /** @type {MouseEvent} */ (event).metaKey || /** @type {MouseEvent} */ (event).ctrlKey) return;
  event.preventDefault();
  go({ view: link.dataset.view ?? "find" });
});

/** @param {string} theme @param {boolean} [isKept] */
function setTheme(theme, isKept = true) {
  document.documentElement.dataset.theme = theme;
  if (isKept) localStorage.setItem("theme", theme);
  dispatchEvent(new Event("themechange"));
}

const kept = localStorage.getItem("theme");
const isDark = matchMedia("(prefers-color-scheme: dark)").matches;
document.documentElement.dataset.theme = kept === "dark" || kept === "light" ? kept : isDark ? "dark" : "light";
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", (event) => {
  if (!localStorage.getItem("theme")) setTheme(event.matches ? "dark" : "light", false);
});

document.querySelector(".bar")?.append(
  el("div", { class: "bar-end" },
    el("button", { type: "button", class: "quiet", "aria-label": "Light or dark", title: "Light or dark (t)", onclick: () => setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark") }, "◐"),
    el("button", { type: "button", class: "quiet", "aria-label": "Keys", title: "Keys (?)", onclick: showHelp }, "?")),
);

onChange(update);
update(read());
