// Reads the ages of queries as the explorer's page does. Input: {"tables", "queries"}. Output: [least, greatest] or null.
// usage: node read_ages.mjs SCRIPTS
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const folder = pathToFileURL(`${process.argv[2]}/query/`);
const { joinAges } = await import(new URL("ages.js", folder));
const { foldLine } = await import(new URL("phrases.js", folder));
const { Tables } = await import(new URL("tables.js", folder));
const { tables: file, queries } = JSON.parse(readFileSync(0, "utf8"));
const tables = new Tables(file);
const read = queries.map((query) => {
  const spans = tables.ages.find(foldLine(query));
  const { min, max } = spans.length ? joinAges(spans) : {};
  return spans.length ? [min, max] : null;
});
console.log(JSON.stringify(read));
