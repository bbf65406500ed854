// qmd in a process that stays, through its own library, BM25 only: node qmd_warm.mjs PACKAGE DATABASE
import readline from "node:readline";
import { pathToFileURL } from "node:url";

const [entry, dbPath] = process.argv.slice(2);
const { createStore } = await import(pathToFileURL(entry));
const store = await createStore({ dbPath });
console.log("ready");
for await (const line of readline.createInterface({ input: process.stdin })) {
  const hits = await store.searchLex(JSON.parse(line), { limit: 30 });
  const paths = hits.map((hit) => hit.filepath.replace(/^qmd:\/\/[^/]+\//, ""));
  console.log(JSON.stringify([...new Set(paths)]));
}
await store.close();
