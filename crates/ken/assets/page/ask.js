// Ask: questions that are answered from the notes, with citations that are checked. Conversations are kept by the server.

import { get, isAbort, lines, send } from "./api.js";
import { counted, el, fill, say } from "./dom.js";
import { ScopeRow, readScope, written } from "./scope.js";
import { go, listed, read, remember } from "./state.js";
import { TurnView } from "./turn.js";

/** @typedef {import("./types").State} State */
/** @typedef {import("./types").Talk} Talk */
/** @typedef {import("./types").Conversation} Conversation */

export class AskView {
  /** @param {HTMLElement} main */
  constructor(main) {
    this.thread = el("div", { class: "thread", "aria-live": "off" });
    this.meter = el("div", { class: "budget" });
    this.scope = new ScopeRow((scope) => !read().c && remember({ scope: written(scope) }));
    this.input = el("textarea", { class: "ask-input", rows: "1", dir: "auto", placeholder: "Ask your notes", "aria-label": "Ask your notes", onkeydown: (/** @type {KeyboardEvent} */ e) => this.typed(e), oninput: () => this.fit() });
    this.model = el("select", { class: "model", "aria-label": "Who answers" }, el("option", { value: "" }, "as in the settings"));
    this.stopper = el("button", { type: "button", class: "primary stop", hidden: true, onclick: () => this.stop() }, "Stop");
    this.sender = el("button", { class: "primary" }, "Ask");
    const form = el("form", { class: "composer", onsubmit: (/** @type {Event} */ e) => (e.preventDefault(), this.submit()) },
      this.scope.node, el("div", { class: "ask-row" }, this.input, this.stopper, this.sender),
      el("div", { class: "ask-foot" }, el("label", { class: "hit-how" }, "Answered by ", this.model), this.meter));
    this.filter = el("input", { type: "search", class: "talks-filter", placeholder: "Search conversations", "aria-label": "Search conversations", oninput: () => this.list() });
    this.talks = el("ul", { class: "talks-list" });
    this.title = el("div", { class: "talk-head" });
    this.node = el("div", { class: "ask" },
      el("aside", { class: "talks", "aria-label": "Conversations" }, el("button", { type: "button", class: "act fresh", onclick: () => this.begin() }, "New conversation"), this.filter, this.talks),
      el("section", { class: "talk", "aria-label": "Conversation" }, this.title, this.thread, form));
    /** @type {AbortController | null} */
    this.asking = null;
    this.shown = "\0";
    /** @type {Talk | null} */
    this.talk = null;
    /** A turn that is asked in other words. @type {number | null} */
    this.insteadOf = null;
    fill(main, this.node);
    this.list();
    this.listModels();
  }

  /** @param {State} state */
  update(state) {
    if (state.c !== this.shown && !state.c) this.scope.set(readScope(state.scope));
    // What was being looked at is what the question is about.
    const domains = listed(state.domain);
    if (!state.c && (state.note || domains.length > 1)) {
      if (state.note) this.scope.put("files", state.note);
      for (const name of domains.length > 1 ? domains : []) this.scope.put("domains", name);
      go({ note: "", of: state.of, domain: domains.length > 1 ? "" : state.domain }, { isStep: false });
      return;
    }
    if (state.c === this.shown) return;
    this.shown = state.c;
    if (!state.c) this.clear();
    else if (!this.asking) this.load(state.c);
  }

  leave() {
    this.stop();
  }

  clear() {
    this.talk = null;
    this.insteadOf = null;
    fill(this.title);
    fill(this.meter);
    fill(this.thread, el("div", { class: "welcome" }, el("h1", null, "Ask, and see where it stands"),
      el("p", null, "Answers come from your notes alone. Every quote is looked up where it is said to stand, and what does not hold is marked.")));
    if (matchMedia("(pointer: fine)").matches) this.input.focus();
  }

  begin() {
    this.stop();
    this.scope.set(null);
    go({ c: "", scope: "" });
    this.input.focus();
  }

  /** @param {string} id */
  async load(id) {
    try {
      this.draw(await get(`/conversations/${encodeURIComponent(id)}`, {}));
    } catch (error) {
      this.fail(error);
    }
  }

  /** @param {Talk} talk */
  draw(talk) {
    this.talk = talk;
    this.scope.set(talk.scope);
    this.insteadOf = null;
    this.drawTitle(talk);
    this.drawMemory(talk.memory);
    fill(this.thread, talk.turns.map((turn) => {
      const view = TurnView.kept(turn, this.does(() => turn.id));
      return view.node;
    }));
    this.thread.lastElementChild?.scrollIntoView({ block: "end" });
  }

  /** @param {Talk} talk */
  drawTitle(talk) {
    const name = el("input", { class: "talk-name", value: talk.title, "aria-label": "Name of the conversation", onchange: () => this.rename(talk.id, name.value) });
    fill(this.title, name,
      el("a", { class: "act", href: `/conversations/${encodeURIComponent(talk.id)}/export`, download: `${talk.title}.md` }, "Export"),
      el("button", { type: "button", class: "act", onclick: () => this.remove(talk) }, "Delete"));
  }

  /** @param {import("./types").Memory} memory */
  drawMemory(memory) {
    const share = Math.round((100 * memory.used) / memory.budget);
    const dropped = memory.dropped_turns ? `, ${counted(memory.dropped_turns, "early turn")} left out` : "";
    fill(this.meter,
      el("label", { for: "budget", class: "hit-how" }, `Memory ${share} %${dropped}`),
      el("meter", { id: "budget", min: "0", max: String(memory.budget), value: String(memory.used), high: String(memory.budget * 0.9) }));
  }

  /** @param {() => number | undefined} turn */
  does(turn) {
    return {
      edit: (/** @type {string} */ question) => this.edit(question, turn()),
      again: () => this.ask({ regenerate: true, instead_of: turn() }),
      show: (/** @type {number} */ other) => this.show(other),
      domain: read().domain,
    };
  }

  /** @param {string} question @param {number | undefined} turn */
  edit(question, turn) {
    this.insteadOf = turn ?? null;
    this.input.value = question;
    this.fit();
    this.input.focus();
    this.sender.textContent = "Ask instead";
    say("The question can be edited");
  }

  /** @param {number} turn */
  async show(turn) {
    if (this.talk) this.draw(await send("PATCH", `/conversations/${encodeURIComponent(this.talk.id)}`, { show: turn }));
  }

  /** @param {KeyboardEvent} event */
  typed(event) {
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) {
      event.preventDefault();
      this.submit();
    } else if (event.key === "Escape") {
      this.insteadOf = null;
      this.sender.textContent = "Ask";
      if (this.asking) this.stop();
      else this.input.blur();
    }
  }

  fit() {
    this.input.style.blockSize = "auto";
    this.input.style.blockSize = `${Math.min(this.input.scrollHeight, 200)}px`;
  }

  submit() {
    const question = this.input.value.trim();
    if (!question || this.asking) return;
    this.input.value = "";
    this.fit();
    this.ask(this.insteadOf === null ? { question } : { question, instead_of: this.insteadOf });
  }

  /** Asks, and shows the answer as it forms. @param {{ question?: string, instead_of?: number, regenerate?: boolean }} asked */
  async ask(asked) {
    if (this.asking) return;
    const asking = (this.asking = new AbortController());
    this.sender.textContent = "Ask";
    this.insteadOf = null;
    const old = this.talk?.turns.findIndex((turn) => turn.id === asked.instead_of) ?? -1;
    const question = asked.question ?? this.talk?.turns[old]?.question ?? "";
    if (!this.talk) fill(this.thread);
    if (old >= 0) while (this.thread.children.length > old) this.thread.lastElementChild?.remove();
    let turn = /** @type {number | undefined} */ (undefined);
    const view = new TurnView(question, this.does(() => turn));
    view.node.classList.add("is-forming");
    this.thread.append(view.node);
    view.node.scrollIntoView({ block: "start" });
    this.busy(true);
    let id = this.talk?.id ?? "";
    try {
      const body = { ...asked, conversation: id || "new", scope: this.scope.scope, ...(this.model.value ? { model: this.model.value } : {}) };
      await lines("/rag", body, asking.signal, (line) => {
        if (line.type === "memory") {
          this.drawMemory(line);
          turn = line.turn ?? turn;
          id = line.conversation ?? id;
          if (id && id !== this.shown) {
            this.shown = id;
            go({ c: id }, { isStep: true });
          }
        }
        view.take(line);
      });
      say("The answer is complete");
    } catch (error) {
      if (isAbort(error)) view.end("stopped", null, false);
      else view.take({ type: "error", detail: error instanceof Error ? error.message : String(error), hint: /** @type {any} */ (error).hint });
    }
    // What broke off can be asked again.
    if (!view.isOver) view.end("not complete", null, false);
    view.node.classList.remove("is-forming");
    this.asking = null;
    this.busy(false);
    if (id && read().view === "ask") await this.settle(id, view);
  }

  /** What the server has kept takes the place of what was heard, so that every turn can be edited. @param {string} id @param {TurnView} view */
  async settle(id, view) {
    try {
      this.talk = /** @type {Talk} */ (await get(`/conversations/${encodeURIComponent(id)}`, {}));
      this.drawTitle(this.talk);
      this.drawMemory(this.talk.memory);
      const turn = this.talk.turns.at(-1);
      if (turn) {
        view.does = this.does(() => turn.id);
        view.drawQuestion(turn.alternatives, turn.id);
      }
      await this.list();
    } catch (error) {
      this.fail(error);
    }
  }

  stop() {
    this.asking?.abort();
  }

  /** @param {boolean} isBusy */
  busy(isBusy) {
    this.stopper.hidden = !isBusy;
    this.sender.hidden = isBusy;
    this.thread.setAttribute("aria-busy", String(isBusy));
  }

  async list() {
    const words = this.filter.value.trim();
    try {
      /** @type {{ conversations: Conversation[] }} */
      const { conversations } = await get("/conversations", words ? { q: words } : {});
      const here = read().c;
      fill(this.talks, conversations.length === 0 ? el("li", { class: "hit-how" }, words ? "none has these words" : "none yet") : conversations.map((one) =>
        el("li", null, el("button", { type: "button", class: "talk-item", "aria-current": one.id === here ? "true" : null, onclick: () => go({ c: one.id }) },
          el("bdi", null, one.title), el("span", { class: "hit-place" }, one.excerpt ?? `${counted(one.n_turns, "question")} · ${new Date(one.changed_at * 1000).toLocaleDateString()}`)))));
    } catch (error) {
      fill(this.talks, el("li", { class: "hit-how" }, error instanceof Error ? error.message : ""));
    }
  }

  async listModels() {
    /** @type {{ data: { id: string }[] }} */
    const { data } = await get("/v1/models").catch(() => ({ data: [] }));
    this.model.append(...data.filter(({ id }) => id !== "kenning").map(({ id }) => el("option", { value: id }, id === "extract" ? "the notes’ own words" : id)));
  }

  /** @param {string} id @param {string} title */
  async rename(id, title) {
    if (!title.trim()) return;
    await send("PATCH", `/conversations/${encodeURIComponent(id)}`, { title });
    this.list();
  }

  /** @param {Talk} talk */
  remove(talk) {
    const sure = el("dialog", { class: "help", "aria-label": "Delete the conversation" },
      el("form", { method: "dialog" }, el("p", null, `Delete “${talk.title}” with all its branches?`),
        el("button", { class: "primary", value: "yes" }, "Delete"), " ", el("button", { class: "act", value: "no" }, "Keep")));
    sure.addEventListener("close", async () => {
      sure.remove();
      if (sure.returnValue !== "yes") return;
      await send("DELETE", `/conversations/${encodeURIComponent(talk.id)}`);
      go({ c: "" });
      this.list();
    });
    document.body.append(sure);
    sure.showModal();
  }

  /** @param {unknown} error */
  fail(error) {
    this.thread.append(el("p", { class: "trouble", role: "alert" }, error instanceof Error ? error.message : String(error)));
  }
}
