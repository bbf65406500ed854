// The choice of the domain that is looked at: See and Keep show one at a time.

import { get } from "./api.js";
import { el } from "./dom.js";
import { go, listed, read } from "./state.js";

/** @typedef {import("./types").Domain} Domain */
/** @typedef {import("./types").State} State */

/** Returns the one domain that is asked, as far as the address tells. @param {State} state */
export function asked(state) {
  return state.of || listed(state.domain)[0] || "";
}

export class DomainChoice {
  constructor() {
    this.select = el("select", { id: "domain", onchange: () => this.choose(this.select.value) });
    this.node = el("label", { class: "domain-choice", hidden: true }, "Domain ", this.select);
    /** @type {Domain[]} */
    this.domains = [];
    this.loaded = get("/domains", {}, { isOfServer: true }).then((answer) => {
      this.domains = /** @type {{ domains: Domain[] }} */ (answer).domains;
      this.select.replaceChildren(...this.domains.map(({ name }) => el("option", { value: name }, name)));
      this.node.hidden = this.domains.length < 2;
      this.show(read());
    }, () => {});
  }

  /** @param {State} state */
  show(state) {
    this.select.value = asked(state) || (this.domains.find((one) => one.default)?.name ?? "");
  }

  /** What was looked at in another domain is not in this one. @param {string} name */
  choose(name) {
    const isDefault = this.domains.some((one) => one.default && one.name === name);
    go({ domain: isDefault ? "" : name, of: "", note: "", line: 0, from: "", center: "", open: "", hop: "", at: "", region: "", day: "" });
  }
}
