// Where a passage can be opened or quoted outside of this page.

/** @typedef {import("./types").Preview} Preview */

/** Programs that open a file at a line by an address of their own. */
const EDITORS = {
  vscode: { label: "VS Code", url: (/** @type {string} */ file, /** @type {number} */ line) => `vscode://file${slashed(file)}:${line}` },
  cursor: { label: "Cursor", url: (/** @type {string} */ file, /** @type {number} */ line) => `cursor://file${slashed(file)}:${line}` },
  zed: { label: "Zed", url: (/** @type {string} */ file, /** @type {number} */ line) => `zed://file${slashed(file)}:${line}` },
  idea: { label: "IntelliJ", url: (/** @type {string} */ file, /** @type {number} */ line) => `idea://open?file=${encodeURIComponent(file)}&line=${line}` },
  textmate: { label: "TextMate", url: (/** @type {string} */ file, /** @type {number} */ line) => `txmt://open?url=file://${slashed(file)}&line=${line}` },
  sublime: { label: "Sublime Text", url: (/** @type {string} */ file, /** @type {number} */ line) => `subl://open?url=file://${slashed(file)}&line=${line}` },
};

/** @typedef {keyof typeof EDITORS} Editor */

/** @param {string} file */
function slashed(file) {
  const path = file.replaceAll("\\", "/").split("/").map(encodeURIComponent).join("/");
  return path.startsWith("/") ? path : `/${path}`;
}

/** @returns {[Editor, string][]} */
export function editors() {
  return /** @type {[Editor, string][]} */ (Object.entries(EDITORS).map(([name, { label }]) => [name, label]));
}

/** @returns {Editor} */
export function editor() {
  const kept = localStorage.getItem("editor") ?? "";
  return kept in EDITORS ? /** @type {Editor} */ (kept) : "vscode";
}

/** @param {string} name */
export function setEditor(name) {
  localStorage.setItem("editor", name);
}

/** Returns the address that opens a note in the editor of choice. @param {Preview} note @param {number} line */
export function inEditor(note, line) {
  return note.file === null ? null : EDITORS[editor()].url(note.file, line);
}

export function editorName() {
  return EDITORS[editor()].label;
}

/** Says where a passage stands. @param {{ path: string, start_line?: number | null, end_line?: number | null, page?: number | null }} one */
export function place(one) {
  if (one.start_line) {
    const end = one.end_line && one.end_line !== one.start_line ? `-${one.end_line}` : "";
    return `${one.path}:${one.start_line}${end}`;
  }
  return one.page ? `${one.path} page ${one.page}` : one.path;
}

/**
 * Writes a passage as a citation that `ken cite` can check.
 * @param {{ path: string, title: string, section?: string | null, start_line?: number | null, end_line?: number | null, page?: number | null }} one
 * @param {string} quote
 */
export function citation(one, quote) {
  const name = one.path.replace(/\.md$/u, "");
  const link = one.section ? `[[${name}#${one.section}]]` : `[[${name}]]`;
  const words = quote.replace(/\s+/gu, " ").trim();
  return words ? `"${words}" ${link} (${place(one)})` : `${link} (${place(one)})`;
}

/** @param {string} text */
export async function copy(text) {
  await navigator.clipboard.writeText(text);
}
