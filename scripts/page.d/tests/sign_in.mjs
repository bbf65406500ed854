// Where tokens are set: the sign-in, and what the page may do after it.

import assert from "node:assert/strict";
import { ROOT, accessible, on, serve } from "../browser.mjs";

const TOKEN = ["a", "token", "for", "this", "test"].join("-");

export async function begin() {
  return { server: await serve(`${ROOT}examples/vault`, { env: { KEN_TOKEN: TOKEN } }) };
}

export async function end({ server }) {
  server.stop();
}

export const tests = {
  "no other page signs in or out": async ({ server }) => {
    const form = { "Content-Type": "application/x-www-form-urlencoded" };
    const sent = (path, headers) => fetch(server.url + path, { method: "POST", redirect: "manual", headers: { ...form, ...headers }, body: `token=${TOKEN}&next=/` });
    const own = await sent("/sign-in", { Origin: server.url });
    assert.equal(own.status, 303);
    const cookie = own.headers.get("set-cookie").split(";")[0];
    for (const origin of ["https://elsewhere.example", "null"]) {
      const other = await sent("/sign-in", { Origin: origin });
      assert.deepEqual([other.status, other.headers.get("set-cookie")], [403, null]);
      const out = await sent("/sign-out", { Origin: origin, Cookie: cookie });
      assert.deepEqual([out.status, out.headers.get("set-cookie")], [403, null]);
    }
  },

  "sign-in": (cx) => on(cx, "/?q=boiler", {}, async (page) => {
    await page.waitForURL(/sign-in/);
    await accessible(page);
    const off = await page.evaluate(() => { const { left, right } = /** @type {Element} */ (document.querySelector(".door-form")).getBoundingClientRect(); return (left + right) / 2 - innerWidth / 2; });
    assert.ok(Math.abs(off) < 2, `the form is ${off} pixels off the middle`);
    await page.locator("#token").fill("wrong");
    await page.locator(".primary").click();
    await page.locator(".trouble").waitFor();
    // That it was refused is told in the console, too.
    page.troubles.length = 0;
    await page.locator("#token").fill(TOKEN);
    await page.locator(".primary").click();
    await page.waitForURL(/\?q=boiler/);
    await page.locator(".hit").first().waitFor();
    const [cookie] = await page.context().cookies();
    assert.ok(cookie.httpOnly && cookie.sameSite === "Strict" && !cookie.value.includes(TOKEN));
    // What changes something works from the page itself.
    await page.goto(`${cx.server.url}/?view=keep`);
    await page.locator(".act", { hasText: "Bring up to date" }).click();
    await page.waitForFunction(() => /added/.test(document.querySelector(".reload [role=status]")?.textContent ?? ""));
    await page.locator(".act", { hasText: "Sign out" }).click();
    await page.waitForURL(/sign-in/);
  }),
};
