// Asks the explorer's own reader of an index, as the page does in a browser. Input: {"folder", "now", "language",
// "metros", "tables", "requests"}: `tables` is explore/words.json, and a request is a path behind `/v1/`. Output: the
// body of each.
// usage: node ask_index.mjs SCRIPTS
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [scripts] = process.argv.slice(2);
const { folder, now, language, metros, tables, requests } = JSON.parse(readFileSync(0, "utf8"));
const clock = Date.parse(now);
globalThis.Date = class extends Date {
  constructor(...values) {
    super(...(values.length ? values : [clock]));
  }
  static now() {
    return clock;
  }
};
globalThis.fetch = async (address) => new Response(readFileSync(new URL(address)));
const { IndexApi } = await import(pathToFileURL(`${scripts}/index/index_api.js`));
const words = { code: language, name: (word) => word.replaceAll("_", " ") };
const { Languages } = await import(pathToFileURL(`${scripts}/query/tables.js`));
const locate = (path) => new URL(path, pathToFileURL(`${folder}/`)).href;
const api = new IndexApi(metros, locate, words, async () => new Languages(tables));
const bodies = [];
for (const request of requests) bodies.push(await api.read(request));
console.log(JSON.stringify(bodies));
