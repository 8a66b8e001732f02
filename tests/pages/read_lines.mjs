// Reads lines as the explorer's field does. Input: {"tables", "language", "today", "lines"}. Output: what each means.
// usage: node read_lines.mjs SCRIPTS
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [scripts] = process.argv.slice(2);
const { tables, language, today, lines } = JSON.parse(readFileSync(0, "utf8"));
const { Languages } = await import(pathToFileURL(`${scripts}/query/tables.js`));
const { parseLine } = await import(pathToFileURL(`${scripts}/explorer/line.js`));
const languages = new Languages(tables);
const read = lines.map((line) =>
  parseLine(line, { today, isSouthern: false, tables: languages.read(languages.choose(line, language)) }),
);
console.log(JSON.stringify(read));
