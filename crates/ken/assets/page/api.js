// Asks the server. What goes wrong is thrown as a Trouble with the words of the server.

export class Trouble extends Error {
  /** @param {string} message @param {string} [hint] @param {number} [status] */
  constructor(message, hint, status = 0) {
    super(message);
    this.hint = hint;
    this.status = status;
  }
}

let domain = "";
/** Domains that a search asks. @type {string[]} */
let searched = [];

/** Searches these domains from now on, and asks one of them everything else; the first of the server, if there is no name. @param {string[]} names @param {string} one */
export function setDomains(names, one) {
  searched = names;
  domain = one || names[0] || "";
}

/**
 * Searches all domains that are chosen.
 * @param {Record<string, string | number | boolean>} params @returns {Promise<import("./types").SearchAnswer>}
 */
export function search(params) {
  if (searched.length > 1) return get("/search", { ...params, domains: searched.join(",") }, { isOfServer: true });
  return get("/search", params, { domain: searched[0] ?? "" });
}

/** @param {string} path @param {string} [of] */
function at(path, of = domain) {
  return of ? `/d/${encodeURIComponent(of)}${path}` : path;
}

/** Writes the path of a note as a part of an address. @param {string} path */
export function inPath(path) {
  return path.split("/").map(encodeURIComponent).join("/");
}

/**
 * @template T
 * @param {string} path @param {Record<string, string | number | boolean>} [params]
 * @param {{ signal?: AbortSignal, domain?: string, isOfServer?: boolean }} [how]
 * @returns {Promise<T>}
 */
export async function get(path, params = {}, how = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) query.set(name, String(value));
  const place = how.isOfServer ? path : at(path, how.domain);
  const text = query.toString();
  return (await asked(text ? `${place}?${text}` : place, { signal: how.signal })).json();
}

/**
 * @template T
 * @param {string} method @param {string} path @param {object} [body] @param {AbortSignal} [signal]
 * @returns {Promise<T>}
 */
export async function send(method, path, body, signal) {
  const headers = { "Content-Type": "application/json" };
  const response = await asked(at(path), { method, headers, body: JSON.stringify(body ?? {}), signal });
  return response.json();
}

/**
 * Sends something and is told the answer line by line.
 * @param {string} path @param {object | null} body @param {AbortSignal} signal @param {(line: any) => void} each
 */
export async function lines(path, body, signal, each) {
  const headers = { "Content-Type": "application/json", Accept: "application/x-ndjson" };
  const response = await asked(at(path), { method: "POST", headers, body: body && JSON.stringify(body), signal });
  const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
  const decoder = new TextDecoder();
  let rest = "";
  for (;;) {
    const { done, value } = await reader.read();
    rest += decoder.decode(value, { stream: !done });
    const whole = rest.split("\n");
    rest = whole.pop() ?? "";
    whole.filter((line) => line.trim()).forEach((line) => each(JSON.parse(line)));
    if (done) return;
  }
}

/** @param {string} url @param {RequestInit} init */
async function asked(url, init) {
  let response;
  try {
    response = await fetch(url, { credentials: "same-origin", ...init });
  } catch (error) {
    if (init.signal?.aborted) throw error;
    throw new Trouble("the server does not answer", "is `ken serve` still running?");
  }
  if (response.status === 401) {
    location.assign(`/sign-in?next=${encodeURIComponent(location.pathname + location.search)}`);
  }
  if (response.ok) return response;
  const problem = await response.json().catch(() => ({}));
  throw new Trouble(problem.detail ?? `the server says ${response.status}`, problem.hint, response.status);
}

/** Whether an error only says that nobody waits any more. @param {unknown} error */
export function isAbort(error) {
  return error instanceof DOMException && error.name === "AbortError";
}
