// Reads the ages and filters of queries as the explorer's page does. Input: {"tables", "queries", "language", "today"}.
// Output for each: `age` as [least, greatest] or null, and the parameters of each phrase that filters.
// usage: node read_queries.mjs SCRIPTS
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const folder = pathToFileURL(`${process.argv[2]}/query/`);
const { Languages } = await import(new URL("tables.js", folder));
const { understand } = await import(new URL("words.js", folder));
const { tables: file, queries, language, today } = JSON.parse(readFileSync(0, "utf8"));
const tables = new Languages(file).read(language);
const read = queries.map((query) => {
  const { age, phrases } = understand(query, tables, { metro: [], areas: [] }, () => false);
  const filters = phrases.map((phrase) => tables.filters.list(phrase, { today }));
  return { age: age && [age.min, age.max], filters: filters.filter((values) => Object.keys(values).length) };
});
console.log(JSON.stringify(read));
