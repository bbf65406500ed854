// Keep: what is indexed, tags that wait to be ticked, what was left out and why, credentials that were masked, dead links, domains and clients.

import { get, isAbort, lines } from "./api.js";
import { counted, el, fill, say } from "./dom.js";
import { DomainChoice, asked } from "./domains.js";
import { Review } from "./review.js";
import { address, go, listed, read } from "./state.js";

/** @typedef {import("./types").State} State */
/** @typedef {{ vault: string | null, bytes: number, notes: number, chunks: number, links: number, masked: number, model: string | null, languages: [string, number][], index_age_s: number | null, left_out: { rule: string, n: number, paths: string[] }[], other_files: [string, number][], skipped: { path: string, reason: string }[], warnings: { path: string, line: number, message: string }[], notices: string[] }} Status */

export class KeepView {
  /** @param {HTMLElement} main */
  constructor(main) {
    this.body = el("div", { class: "keep" });
    this.choice = new DomainChoice();
    this.shown = "\0";
    /** @type {AbortController | null} */
    this.reloading = null;
    fill(main, el("div", { class: "keep-head" }, this.choice.node), this.body);
  }

  /** @param {State} state */
  update(state) {
    this.choice.show(state);
    const domain = asked(state);
    if (domain === this.shown) return;
    this.shown = domain;
    this.load();
  }

  async load() {
    try {
      /** @type {[Status, any, any, any, any]} */
      const [status, findings, dead, domains, clients] = await Promise.all([
        get("/status"), get("/findings"), get("/dead-links"),
        get("/domains", {}, { isOfServer: true }), get("/clients", {}, { isOfServer: true }),
      ]);
      const review = clients.curate ? new Review(note) : null;
      await review?.load();
      fill(this.body, this.index(status), review?.node ?? mayNot(), left(status), troubles(status), credentials(findings), deadLinks(dead), who(domains, clients));
    } catch (error) {
      const hint = /** @type {any} */ (error).hint;
      fill(this.body, el("p", { class: "trouble", role: "alert" }, error instanceof Error ? error.message : String(error), hint ? ` (${hint})` : ""), this.reloader());
    }
  }

  /** @param {Status} status */
  index(status) {
    const age = status.index_age_s === null ? "never" : `${ago(status.index_age_s)} ago`;
    const figures = [["notes", status.notes], ["passages", status.chunks], ["links", status.links], ["megabytes", Math.round(status.bytes / 1e5) / 10]];
    return section("The index", null,
      el("dl", { class: "figures" }, figures.map(([name, n]) => el("div", null, el("dt", null, String(name)), el("dd", null, n.toLocaleString())))),
      el("p", { class: "hit-how" }, `${status.vault ?? "a vault that is not known"} · compared with its files ${age} · ${status.model ?? "no model"} · ${status.languages.slice(0, 5).map(([code, n]) => `${code} ${n}`).join(", ")}`),
      status.notices.map((notice) => el("p", { class: "notice" }, notice)),
      this.reloader());
  }

  reloader() {
    const bar = el("progress", { "aria-label": "Progress of the reload", hidden: true });
    const told = el("p", { class: "hit-how", role: "status" });
    const button = el("button", { type: "button", class: "act", onclick: () => this.reload(button, bar, told) }, "Bring up to date");
    return el("div", { class: "reload" }, button, bar, told);
  }

  /** @param {HTMLButtonElement} button @param {HTMLProgressElement} bar @param {HTMLElement} told */
  async reload(button, bar, told) {
    button.disabled = true;
    bar.hidden = false;
    bar.removeAttribute("value");
    try {
      await lines("/reload", null, new AbortController().signal, (line) => {
        if (line.progress) {
          bar.max = Math.max(1, line.progress.total);
          bar.value = line.progress.done;
          told.textContent = `${line.progress.done.toLocaleString()} of ${counted(line.progress.total, "file")}`;
        } else if (line.report) {
          const { added, changed, removed, took_ms: took } = line.report;
          told.textContent = `${added} added, ${changed} changed, ${removed} removed, in ${(took / 1000).toFixed(1)} s`;
        } else if (line.problem) told.textContent = line.problem.detail;
      });
      say(told.textContent ?? "");
      const text = told.textContent;
      await this.load();
      const fresh = this.body.querySelector(".reload [role=status]");
      if (fresh) fresh.textContent = text;
    } catch (error) {
      if (!isAbort(error)) told.textContent = error instanceof Error ? error.message : String(error);
    }
    button.disabled = false;
    bar.hidden = true;
  }
}

/** @param {string} title @param {string | null} meaning @param {...any} children */
function section(title, meaning, ...children) {
  return el("section", { class: "kept" }, el("h2", null, title), meaning ? el("p", { class: "hit-how" }, meaning) : null, ...children);
}

/** @param {string} path @param {number} [line] */
function note(path, line) {
  const to = { view: "find", note: path, line: line ?? 0, domain: read().domain };
  return el("a", { href: address(to), onclick: (/** @type {MouseEvent} */ e) => !e.metaKey && !e.ctrlKey && (e.preventDefault(), go(to, { isFresh: true })) }, line ? `${path}:${line}` : path);
}

function mayNot() {
  return section("Proposed tags", "Tags that wait in the review queue can be ticked here by those who may change notes: set curate = true for a client, or http = true under [curate] for those without a token.");
}

/** @param {Status} status */
function left(status) {
  const rules = status.left_out.map(({ rule, n, paths }) =>
    el("details", null, el("summary", null, `${rule}: ${n.toLocaleString()}`), el("ul", { class: "paths" }, paths.map((path) => el("li", null, path)), n > paths.length ? el("li", { class: "hit-how" }, `and ${n - paths.length} more`) : null)));
  const others = status.other_files.slice(0, 12).map(([ending, n]) => `${ending || "no ending"} ${n}`).join(", ");
  return section("Left out", "Files that rules leave out, and files that are no notes.",
    rules.length ? rules : el("p", null, "No rule leaves anything out."), others ? el("p", { class: "hit-how" }, `Other files: ${others}`) : null);
}

/** @param {Status} status */
function troubles(status) {
  if (status.skipped.length + status.warnings.length === 0) return null;
  return section("Could not be read, or not understood", null,
    table(["file", "what"], [...status.skipped.map(({ path, reason }) => [path, reason]), ...status.warnings.slice(0, 200).map(({ path, line, message }) => [note(path, line), message])]));
}

/** @param {{ n_findings: number, findings: { path: string, line: number, pattern: string }[] }} all */
function credentials({ n_findings: n, findings }) {
  return section("Credentials in the notes", "They are masked: neither the index nor any answer has them. The files still do.",
    n === 0 ? el("p", null, "None was found.") : table(["place", "kind", "value"], findings.map(({ path, line, pattern }) => [note(path, line), pattern, "••••••••"])),
    n > findings.length ? el("p", { class: "hit-how" }, `and ${n - findings.length} more`) : null);
}

/** @param {{ n_links: number, links: { path: string, line: number, target: string }[] }} all */
function deadLinks({ n_links: n, links }) {
  return section("Links that lead nowhere", null,
    n === 0 ? el("p", null, "Every link leads somewhere.") : el("details", { open: n < 30 }, el("summary", null, counted(n, "link")),
      table(["place", "leads to"], links.slice(0, 300).map(({ path, line, target }) => [note(path, line), target]))));
}

/** @param {{ domains: import("./types").Domain[] }} all @param {{ you: string | null, tokens: boolean, clients: { name: string, domains: string[] | null, remembers: boolean }[] }} clients */
function who({ domains }, clients) {
  const here = listed(read().domain)[0] ?? "";
  return section("Domains and clients", clients.tokens ? `Signed in as ${clients.you ?? "the person at this machine"}.` : "No token is needed: only this machine may ask.",
    el("ul", { class: "domains" }, domains.map(({ name, default: isDefault, indexed }) =>
      el("li", null, el("button", { type: "button", class: "facet", "aria-pressed": String(here ? here === name : isDefault), onclick: () => go({ domain: isDefault ? "" : name }) }, el("bdi", null, name), el("span", { class: "facet-n" }, indexed ? "" : "no index yet"))))),
    clients.clients.length ? table(["client", "may ask", "may write"], clients.clients.map(({ name, domains: own, remembers }) => [name, own ? own.join(", ") : "everything", remembers ? "the note of the day" : "nothing"])) : null,
    clients.tokens ? el("form", { method: "post", action: "/sign-out" }, el("button", { class: "act" }, "Sign out")) : null);
}

/** @param {string[]} heads @param {(string | Node)[][]} rows */
function table(heads, rows) {
  return el("div", { class: "table", tabindex: "0", role: "region", "aria-label": heads.join(", ") }, el("table", null, el("thead", null, el("tr", null, heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", null, rows.map((row) => el("tr", null, row.map((cell) => el("td", null, cell)))))));
}

/** @param {number} seconds */
function ago(seconds) {
  if (seconds < 90) return counted(seconds, "second");
  if (seconds < 5400) return counted(Math.round(seconds / 60), "minute");
  if (seconds < 129_600) return counted(Math.round(seconds / 3600), "hour");
  return counted(Math.round(seconds / 86_400), "day");
}
