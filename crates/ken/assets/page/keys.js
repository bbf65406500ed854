// Keys, and the list of them.

import { el, fill } from "./dom.js";
import { editor, editors, setEditor } from "./places.js";

const KEYS = [
  ["/", "go to the search box"],
  ["j, ↓ · k, ↑", "next, previous result"],
  ["Enter", "open the result"],
  ["Esc", "close the note, or leave the box"],
  ["Backspace", "in an empty box: remove the last condition"],
  ["g then f, a, s, k", "Find, Ask, See, Keep"],
  ["+ · − · arrows · 0", "zoom, move and reset a graph or map"],
  ["j · k, Enter, c", "in a graph or map: go from note to note, open one, put it into the middle"],
  ["arrows, PgUp · PgDn", "in the calendar: days and months, years with notes; in a walk: steps"],
  ["t", "light or dark"],
  ["?", "this list"],
];

/** @type {HTMLDialogElement | null} */
let dialog = null;

export function showHelp() {
  dialog ??= make();
  if (!dialog.open) dialog.showModal();
}

function make() {
  const rows = KEYS.map(([keys, what]) => el("tr", null, el("th", { scope: "row" }, el("kbd", null, keys)), el("td", null, what)));
  const choice = el("select", { id: "editor", onchange: () => setEditor(choice.value) }, editors().map(([name, label]) => el("option", { value: name, selected: name === editor() }, label)));
  const made = el("dialog", { class: "help", "aria-labelledby": "help-title" });
  fill(
    made,
    el("form", { method: "dialog" },
      el("h2", { id: "help-title" }, "Keys"),
      el("table", null, el("tbody", null, rows)),
      el("p", null, el("label", { for: "editor" }, "Editor for “Open in …” "), choice),
      el("p", null, "Words rank, conditions filter: ", el("code", null, "roof tag:work since:2024 -draft"), "."),
      el("button", { class: "primary" }, "Close")),
  );
  document.body.append(made);
  return made;
}

/** Whether somebody is typing. @param {EventTarget | null} target */
export function isTyping(target) {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/u.test(target.tagName));
}
