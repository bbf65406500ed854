// Runs the tests of the page, all or those whose names contain a word.

import { readdirSync } from "node:fs";
import { cleanUp, launch } from "./browser.mjs";

const words = process.argv.slice(2);
const files = readdirSync(new URL("./tests", import.meta.url)).filter((name) => name.endsWith(".mjs")).sort();
const browser = await launch();
let failed = 0;
let passed = 0;
try {
  for (const file of files) {
    const { tests, begin, end } = await import(`./tests/${file}`);
    const wanted = Object.entries(tests).filter(([name]) => words.length === 0 || words.some((word) => name.includes(word)));
    if (wanted.length === 0) continue;
    const shared = await begin?.(browser);
    for (const [name, test] of wanted) {
      const started = Date.now();
      try {
        // A test that cannot be run here says why, and does not count.
        const why = await test({ browser, ...shared });
        if (why) {
          console.log(`LEFT OUT  ${name}: ${why}`);
          continue;
        }
        passed += 1;
        console.log(`ok    ${name} (${Date.now() - started} ms)`);
      } catch (error) {
        failed += 1;
        console.log(`FAIL  ${name}\n${error.stack ?? error}`);
      }
    }
    await end?.(shared);
  }
} finally {
  await browser.close();
  cleanUp();
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
