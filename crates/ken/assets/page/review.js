// The review queue on the page: tags that are proposed are ticked or refused here, written into their notes in one step, and what was
// written can be taken back. Nothing is changed before "Write".

import { Trouble, get, send } from "./api.js";
import { counted, el, fill, say } from "./dom.js";

/** @typedef {"open" | "ticked" | "refused"} MarkState */
/** @typedef {{ tag: string, state: MarkState, told: string }} Proposed */
/** @typedef {{ path: string, proposals: Proposed[] }} Reviewed */
/** @typedef {{ id: number, verb: string, detail: string, at: number, paths: string[], undone: boolean }} Run */

export class Review {
  /** @param {(path: string) => Node} link Makes a link to a note. */
  constructor(link) {
    this.link = link;
    this.told = el("p", { class: "hit-how", role: "status" });
    this.body = el("div");
    this.node = el("section", { class: "kept review" }, el("h2", null, "Proposed tags"), this.body, this.told);
    /** What is said here and stands in no file yet. @type {Map<string, { path: string, tag: string, state: MarkState }>} */
    this.marks = new Map();
  }

  async load() {
    try {
      /** @type {[{ notes: Reviewed[] }, { runs: Run[] }]} */
      const [queue, written] = await Promise.all([get("/review"), get("/undo")]);
      this.marks.clear();
      fill(this.body, this.queue(queue.notes), this.last(written.runs));
    } catch (error) {
      const trouble = error instanceof Trouble ? error : new Trouble(String(error));
      fill(this.body, el("p", { class: "hit-how" }, trouble.status === 403 ? "Notes cannot be changed from here" : trouble.message, trouble.hint ? `: ${trouble.hint}` : "", "."));
    }
  }

  /** @param {Reviewed[]} notes */
  queue(notes) {
    if (notes.length === 0) return el("p", null, "Nothing waits. ", el("code", null, "ken tags propose"), " looks for tags that notes could have.");
    const write = el("button", { type: "button", class: "act", onclick: () => this.write() });
    const count = () => {
      const n = notes.flatMap(({ path, proposals }) => proposals.filter((one) => this.state(path, one) === "ticked")).length;
      write.textContent = n ? `Write ${counted(n, "tag")} into notes` : "Write down what was refused";
      write.disabled = n === 0 && this.marks.size === 0;
    };
    const list = el("ul", { class: "proposed" }, notes.map((note) =>
      el("li", null, this.link(note.path), el("ul", null, note.proposals.map((one) => this.proposal(note.path, one, count))))));
    count();
    return el("div", null, el("p", { class: "hit-how" }, `${counted(notes.length, "note")}. Tick what is right; what is refused is not proposed again.`), list, write);
  }

  /** @param {string} path @param {Proposed} one @returns {MarkState} */
  state(path, one) {
    return this.marks.get(`${path}\n${one.tag}`)?.state ?? one.state;
  }

  /** @param {string} path @param {Proposed} one @param {() => void} changed */
  proposal(path, one, changed) {
    const box = /** @type {HTMLInputElement} */ (el("input", { type: "checkbox" }));
    const refuse = el("button", { type: "button", class: "quiet", "aria-label": `Refuse #${one.tag}`, title: "Refuse" }, "✕");
    const row = el("li", null, el("label", null, box, el("bdi", { class: "tag" }, `#${one.tag}`), el("span", { class: "hit-how" }, one.told)), refuse);
    const show = () => {
      const state = this.state(path, one);
      box.checked = state === "ticked";
      row.classList.toggle("refused", state === "refused");
      refuse.setAttribute("aria-pressed", String(state === "refused"));
    };
    /** @param {MarkState} state */
    const mark = (state) => {
      if (state === one.state) this.marks.delete(`${path}\n${one.tag}`);
      else this.marks.set(`${path}\n${one.tag}`, { path, tag: one.tag, state });
      show();
      changed();
    };
    box.addEventListener("change", () => mark(box.checked ? "ticked" : "open"));
    refuse.addEventListener("click", () => mark(this.state(path, one) === "refused" ? "open" : "refused"));
    show();
    return row;
  }

  async write() {
    await this.change(async () => {
      /** @type {{ files: { path: string }[], notices: string[] }} */
      const done = await send("POST", "/promote", { marks: [...this.marks.values()] });
      return [`${counted(done.files.length, "file")} written`, ...done.notices].join("; ");
    });
  }

  /** @param {Run[]} runs */
  last(runs) {
    const run = runs.find(({ undone }) => !undone);
    if (!run) return null;
    const what = `ken ${run.verb}${run.detail ? ` (${run.detail})` : ""}, ${counted(run.paths.length, "file")}, ${new Date(run.at * 1000).toLocaleString()}`;
    return el("p", { class: "undo" }, el("button", { type: "button", class: "act", onclick: () => this.undo(run) }, "Take back"), " ", el("span", { class: "hit-how" }, `the last change: ${what}`));
  }

  /** @param {Run} run */
  async undo(run) {
    await this.change(async () => {
      await send("POST", "/undo", { run: run.id });
      return `took back ken ${run.verb}: ${counted(run.paths.length, "file")} as before`;
    });
  }

  /** @param {() => Promise<string>} work */
  async change(work) {
    try {
      this.told.textContent = await work();
    } catch (error) {
      const hint = error instanceof Trouble && error.hint ? ` (${error.hint})` : "";
      this.told.textContent = (error instanceof Error ? error.message : String(error)) + hint;
    }
    say(this.told.textContent);
    await this.load();
  }
}
