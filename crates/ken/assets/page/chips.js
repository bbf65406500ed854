// The query language in two parts: words, which rank, and conditions, which are shown as chips.

import { byId, el, fill, icon } from "./dom.js";

const NAMES =
  "domain|tag|type|path|file|content|match-case|ignore-case|line|block|section|task|task-todo|task-done|since|before|on|created|modified|published|as-of";
const VALUE = String.raw`"[^"]*"|\/(?:[^\/\\]|\\.)+\/|\([^()]*\)|[^\s"(]\S*`;
const CONDITION = new RegExp(
  String.raw`(^|\s)(-?(?:${NAMES}):(?:${VALUE})|-?\[(?!\[)[^\[\]]+\])(?=\s|$)`,
  "giu",
);

/** Takes a query apart. @param {string} query @returns {{ words: string, conditions: string[] }} */
export function split(query) {
  /** @type {string[]} */
  const conditions = [];
  const words = query.replace(CONDITION, (_, before, condition) => {
    conditions.push(condition);
    return before;
  });
  return { words: words.replace(/\s+/gu, " ").trim(), conditions };
}

/** Puts a query together. @param {string} words @param {string[]} conditions */
export function join(words, conditions) {
  return [words.trim(), ...conditions].filter(Boolean).join(" ");
}

/** Writes a condition; what has blanks is put in quotes. @param {string} name @param {string} value */
export function condition(name, value) {
  return /^[\p{L}\p{N}_./-]+$/u.test(value) ? `${name}:${value}` : `${name}:"${value.replaceAll('"', "")}"`;
}

/** Adds a condition to a query, or takes it out of it. @param {string} query @param {string} one */
export function toggled(query, one) {
  const { words, conditions } = split(query);
  const others = conditions.filter((other) => other !== one);
  return join(words, others.length < conditions.length ? others : [...conditions, one]);
}

/**
 * Shows conditions as chips, each with a way to remove it.
 * @param {string[]} conditions @param {(condition: string) => void} remove
 */
export function show(conditions, remove) {
  const row = byId("chips");
  row.hidden = conditions.length === 0;
  fill(row, conditions.map((one) => chip(one, remove)));
}

/** @param {string} one @param {(condition: string) => void} remove */
function chip(one, remove) {
  const [, name, value] = /^(-?[\w-]+:)(.*)$/su.exec(one) ?? ["", "", one];
  return el(
    "span",
    { class: "chip", role: "listitem", data: { condition: one } },
    el("span", { class: "chip-name" }, name),
    el("bdi", null, value),
    el(
      "button",
      { type: "button", class: "chip-off", "aria-label": `Remove ${one}`, onclick: () => remove(one) },
      icon("M5 5l10 10M15 5 5 15"),
    ),
  );
}
