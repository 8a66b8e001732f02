// Calls the functions of build/cloudfront as CloudFront does, and the rule of build/cloudflare beside them. Input: a JSON array of
// [method, path, query]. Output: for each what `to_file.js` and then `to_request.js` make of it, and the worker's file.
// usage: node run_functions.mjs BUILD
import { readFileSync } from "node:fs";

const [build] = process.argv.slice(2);
const { nameFile } = await import(`${build}/cloudflare/name_file.js`);
const load = (name, cf) => {
  const source = readFileSync(`${build}/cloudfront/${name}`, "utf8").replace('import cf from "cloudfront";', "");
  return new Function("cf", `"use strict"; ${source}; return handler`)(cf);
};
let origin;
const toFile = load("to_file.js", { selectRequestOriginById: (id) => (origin = id) });
const toRequest = load("to_request.js");

const answers = JSON.parse(readFileSync(0, "utf8")).map(([method, uri, query]) => {
  origin = "group";
  const request = toFile({ request: { method, uri, querystring: null, rawQueryString: () => query || undefined } });
  const file = request.uri;
  // A query that the first function left is the viewer's own.
  const querystring = request.querystring ?? Object.fromEntries(query.split("&").filter(Boolean).map((pair) => [pair, null]));
  const again = toRequest({ request: { method, uri: file, querystring } });
  const pairs = Object.entries(again.querystring).map(([name, value]) => (value === null ? name : `${name}=${value.value}`));
  return { file, origin, worker: nameFile(uri, query), request: [again.uri, pairs.join("&")] };
});
console.log(JSON.stringify(answers));
