// Arranges rows as the explorer does. Input: {"items", "filters", "now"}. Output: {"ahead", "closed", "over"}.
// usage: node arrange_rows.mjs SCRIPTS
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [scripts] = process.argv.slice(2);
const { items, filters, now } = JSON.parse(readFileSync(0, "utf8"));
const { arrange } = await import(pathToFileURL(`${scripts}/explorer/arrange.js`));
const state = { metro: "seattle", type: "all", view: "list", filters: new Map(Object.entries(filters)), page: 1 };
console.log(JSON.stringify(arrange(items, state, now)));
