// The address bar holds the whole state: it can be shared, and "back" goes back.

/** @typedef {import("./types").State} State */

/** @type {State} */
const EMPTY = {
  view: "find", q: "", domain: "", note: "", of: "", from: "", line: 0, c: "", scope: "",
  see: "", center: "", open: "", rings: "", to: "", wide: "", hop: "", at: "", region: "", day: "",
};
const VIEWS = ["find", "ask", "see", "keep"];
/** What only one view reads stands in its addresses only. @type {Partial<Record<keyof State, string>>} */
const OWN = {
  c: "ask", scope: "ask", see: "see", center: "see", open: "see", rings: "see", to: "see", wide: "see", hop: "see", at: "see", region: "see", day: "see",
};

/** @type {((state: State) => void)[]} */
const listeners = [];

/** Reads the state off the address. @returns {State} */
export function read() {
  const params = new URLSearchParams(location.search);
  const state = { ...EMPTY };
  for (const key of /** @type {(keyof State)[]} */ (Object.keys(EMPTY))) {
    const value = params.get(key);
    if (value === null) continue;
    if (key === "line") state.line = Number(value) || 0;
    else state[key] = value;
  }
  if (!VIEWS.includes(state.view)) state.view = "find";
  return state;
}

/** Writes a state as an address. @param {Partial<State>} patch @param {Partial<State>} [base] */
export function address(patch, base = {}) {
  const state = { ...EMPTY, ...base, ...patch };
  const params = new URLSearchParams();
  for (const key of /** @type {(keyof State)[]} */ (Object.keys(EMPTY))) {
    const isRead = (OWN[key] ?? state.view) === state.view;
    if (isRead && state[key] !== EMPTY[key]) params.set(key, String(state[key]));
  }
  const query = params.toString();
  return query ? `/?${query}` : "/";
}

/**
 * Changes the state. A step is one that "back" takes back; what is merely being typed is none.
 * @param {Partial<State>} patch @param {{ isStep?: boolean, isFresh?: boolean }} [how]
 */
export function go(patch, { isStep = true, isFresh = false } = {}) {
  // A note is of the domain that is asked, if nothing else is said.
  const own = "note" in patch && !("of" in patch) ? { of: "" } : {};
  const next = address({ ...own, ...patch }, isFresh ? {} : read());
  if (next !== location.pathname + location.search) {
    if (isStep) history.pushState(null, "", next);
    else history.replaceState(null, "", next);
  }
  tell();
}

/** Writes down how something is looked at, without a step and without telling anybody. @param {Partial<State>} patch */
export function remember(patch) {
  history.replaceState(null, "", address(patch, read()));
}

/** Returns the names in a list of the address. @param {string} list @param {string} [between] */
export function listed(list, between = ",") {
  return list.split(between).filter(Boolean);
}

/** Is told of every change. @param {(state: State) => void} listener */
export function onChange(listener) {
  listeners.push(listener);
}

export function tell() {
  const state = read();
  listeners.forEach((listener) => listener(state));
}

addEventListener("popstate", tell);
