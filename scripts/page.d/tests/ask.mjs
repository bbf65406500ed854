// Ask: an answer as it forms, citations that open, stop, scope, edit, again; with a chat server that answers slowly
// enough to be stopped, with none, and once with a real model.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { createServer } from "node:http";
import { ROOT, accessible, on, serve } from "../browser.mjs";

/** What the chat server is to say, and how long it waits between words. */
const said = { text: "", pause: 0, asked: [], breaks: false };

const QUOTE = "Marlys came at nine and changed the circulator cartridge";

/** A server that speaks OpenAI's way. It is told what to say: here it is the page that is tested, not a model. */
function chatServer() {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const piece of request) body += piece;
    if (request.url.endsWith("/models")) return response.end(JSON.stringify({ data: [{ id: "spoken" }] }));
    said.asked.push(JSON.parse(body));
    if (said.breaks) return response.writeHead(400, { "Content-Type": "application/json" }).end('{"error":{"message":"no"}}');
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    for (const word of said.text.split(/(?<= )/)) {
      response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: word } }] })}\n\n`);
      await new Promise((resolve) => setTimeout(resolve, said.pause));
      if (response.destroyed) return;
    }
    response.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\n`);
    response.end("data: [DONE]\n\n");
  });
  return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(server)));
}

const settings = (port) => `[llm]\nprovider = "stub"\n[llm.providers.stub]\nkind = "openai"\nbase_url = "http://127.0.0.1:${port}"\nmodel = "spoken"\n`;

export async function begin() {
  const chat = await chatServer();
  const server = await serve(`${ROOT}examples/vault`, { settings: settings(chat.address().port) });
  return { chat, server };
}

export async function end({ chat, server }) {
  server.stop();
  chat.close();
}

async function ask(page, question) {
  await page.locator(".ask-input").fill(question);
  await page.locator(".ask-input").press("Enter");
}

/** The number of the passage that has the quote is known only when it was found. */
async function speak(page, number = 1) {
  said.pause = 0;
  said.text = `The cartridge was changed: "${QUOTE}" [${number}]. It cost nothing at all, says "a quote that stands in no note whatsoever" [${number}].`;
}

const over = (page, n = 1) => page.waitForFunction((n) => document.querySelectorAll(".turn").length === n && !document.querySelector(".is-forming") && document.querySelector(".turn:last-child .again"), n);

export const tests = {
  "an answer reads as text": (cx) => on(cx, "/?view=ask", {}, async (page) => {
    said.pause = 0;
    said.text = "See [[Boiler#Service|the service]], [[Roof#Gutter]] and [the shop](https://example.org/a).\n\n| Room | Paint |\n|---|---|\n| Hall | **Linen** |\n| a \\| b | [[Owl]] |\n";
    await ask(page, "Which paint is in the hall?");
    await over(page);
    assert.equal(await page.locator(".answer p").textContent(), "See the service, Roof › Gutter and the shop.");
    assert.deepEqual(await page.locator(".answer tr").evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent).join("/"))), ["Room/Paint", "Hall/Linen", "a | b/Owl"]);
    assert.equal(await page.locator(".answer a").count(), 0, "an answer leads nowhere by itself");
    await accessible(page);
  }),

  "ask with citations that are checked": (cx) => on(cx, "/?view=ask", {}, async (page) => {
    await speak(page);
    await ask(page, "Who changed the circulator cartridge of the boiler?");
    await over(page);
    assert.ok((await page.locator(".source").count()) > 0, "there are no sources");
    await page.locator(".cite-good").first().waitFor();
    await page.locator(".cite-bad").first().waitFor();
    assert.match(await page.locator(".verified").textContent(), /1 of 2 verified/);
    await page.locator(".cite-good").first().click();
    await page.locator(".card-good .is-quote").first().waitFor();
    assert.match(await page.locator(".card-good .is-quote").first().textContent(), /Marlys came/);
    await accessible(page);
    assert.match(page.url(), /[?&]c=/);
    await page.reload();
    await page.locator(".cite-good").first().waitFor();
    await page.locator(".talk-item").first().waitFor();
    assert.ok(await page.locator("meter").count());
    const download = await page.request.get(cx.server.url + (await page.locator(".act", { hasText: "Export" }).getAttribute("href")));
    assert.match(await download.text(), /circulator/);
  }),

  "stop": (cx) => on(cx, "/?view=ask", {}, async (page) => {
    said.pause = 60;
    said.text = "one two three four five six seven eight nine ten ".repeat(20);
    await ask(page, "What does the boiler need?");
    await page.waitForFunction(() => (document.querySelector(".answer")?.textContent ?? "").includes("three"));
    await page.locator(".stop").click();
    await page.locator(".state", { hasText: "stopped" }).waitFor();
    await over(page);
    assert.ok(!(await page.locator(".answer").textContent()).includes("ten one two three four five six seven eight nine ten one"));
  }),

  "edit and answer again": (cx) => on(cx, "/?view=ask", {}, async (page) => {
    await speak(page);
    await ask(page, "Who came about the boiler?");
    await over(page);
    await page.locator(".asked .quiet", { hasText: "Edit" }).click();
    assert.equal(await page.locator(".ask-input").inputValue(), "Who came about the boiler?");
    await ask(page, "Who repaired the boiler?");
    await over(page);
    assert.equal(await page.locator(".asked-text").textContent(), "Who repaired the boiler?");
    await page.locator(".asked-acts", { hasText: "2 of 2" }).waitFor();
    await page.locator("[aria-label='Earlier wording']").click();
    await page.locator(".asked-text", { hasText: "Who came about the boiler?" }).waitFor();
    await page.locator(".again").last().click();
    await page.locator(".asked-acts", { hasText: "3 of 3" }).waitFor();
    await ask(page, "And when was that?");
    await over(page, 2);
  }),

  "an answer that breaks off": (cx) => on(cx, "/?view=ask", {}, async (page) => {
    said.breaks = true;
    await ask(page, "What does the boiler need?");
    await page.locator(".turn .trouble, .turn .notice").first().waitFor();
    await over(page);
    said.breaks = false;
    await speak(page);
    await page.locator(".again").click();
    await page.locator(".verified").waitFor();
  }),

  "scope": (cx) => on(cx, "/?view=ask", {}, async (page) => {
    await speak(page);
    await page.locator(".scope-input").fill("3-Resources/");
    await page.locator(".scope-input").press("Enter");
    await page.locator(".scope .chip", { hasText: "3-Resources" }).waitFor();
    await ask(page, "How is wheat starch paste cooked?");
    await over(page);
    const titles = await page.locator(".source").evaluateAll((all) => all.map((one) => one.textContent));
    assert.ok(titles.length > 0);
    const [, id] = /[?&]c=([^&]+)/.exec(page.url());
    const talk = await (await page.request.get(`${cx.server.url}/conversations/${id}`)).json();
    assert.deepEqual(talk.scope.folders, ["3-Resources"]);
    assert.ok(talk.turns[0].sources.every(({ path }) => path.startsWith("3-Resources/")));
    await accessible(page);
  }),

  "conversations are searched and deleted": (cx) => on(cx, "/?view=ask", {}, async (page) => {
    await speak(page);
    await ask(page, "What is said of quinces?");
    await over(page);
    await page.locator(".talks-filter").fill("quinces");
    await page.waitForFunction(() => document.querySelectorAll(".talk-item").length === 1);
    await page.locator(".talk-head .act", { hasText: "Delete" }).click();
    await page.locator("dialog[open] .primary").click();
    await page.waitForFunction(() => document.querySelectorAll(".talk-item").length === 0);
  }),

  "ask without a model": async ({ browser }) => {
    const server = await serve(`${ROOT}examples/vault`);
    await on({ browser, server }, "/?view=ask", {}, async (page) => {
      await ask(page, "How much was the cartridge of the boiler?");
      await over(page);
      assert.match(await page.locator(".answer").textContent(), /214/);
      await page.locator(".turn-acts", { hasText: "in the words of your notes" }).waitFor();
      await page.locator(".cite-good").first().waitFor();
    });
    server.stop();
  },

  "ask on a phone": (cx) => on(cx, "/?view=ask", { viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true }, async (page) => {
    await speak(page);
    await ask(page, "Who changed the cartridge?");
    await over(page);
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "the answer is wider than the phone");
    await accessible(page);
  }),

  "ask a real model": async ({ browser }) => {
    if (!process.env.KEN_TEST_MODEL) return "KEN_TEST_MODEL=1 asks the real one of scripts/model-server";
    const probe = createServer().listen(0);
    const { port } = probe.address();
    probe.close();
    const model = spawn(`${ROOT}scripts/model-server`, ["chat", String(port)], { stdio: "ignore" });
    for (let n = 0; n < 600; n++) {
      const isThere = await fetch(`http://127.0.0.1:${port}/health`).then((reply) => reply.ok, () => false);
      if (isThere) break;
      await new Promise((resolve) => setTimeout(resolve, 200));
    }
    const server = await serve(`${ROOT}examples/vault`, { settings: `${settings(port)}[answers]\npassages = 1\nseconds = 240\n` });
    try {
      await on({ browser, server }, "/?view=ask", {}, async (page) => {
        page.setDefaultTimeout(280_000);
        await ask(page, "Who repaired the boiler?");
        await page.locator(".source").first().waitFor();
        await over(page);
        assert.ok((await page.locator(".answer").textContent()).length > 10);
        await page.locator(".turn-acts", { hasText: "written by" }).waitFor();
      });
    } finally {
      server.stop();
      model.kill();
    }
  },
};
