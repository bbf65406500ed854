// The address bar holds the whole state: it can be shared, and "back" goes back.

/** @typedef {import("./types").State} State */

/** @type {State} */
const EMPTY = { view: "find", q: "", domain: "", note: "", from: "", line: 0, c: "", see: "", month: "" };
const VIEWS = ["find", "ask", "see", "keep"];

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
    if (state[key] !== EMPTY[key]) params.set(key, String(state[key]));
  }
  const query = params.toString();
  return query ? `/?${query}` : "/";
}

/**
 * Changes the state. A step is one that "back" takes back; what is merely being typed is none.
 * @param {Partial<State>} patch @param {{ isStep?: boolean, isFresh?: boolean }} [how]
 */
export function go(patch, { isStep = true, isFresh = false } = {}) {
  const next = address(patch, isFresh ? {} : read());
  if (next !== location.pathname + location.search) {
    if (isStep) history.pushState(null, "", next);
    else history.replaceState(null, "", next);
  }
  tell();
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
