/** @typedef {import("./field.js").Field} Field */

/**
 * The address that the fields say, behind the server's own.
 * @param {string} path with braces
 * @param {Field[]} fields
 */
export function writeRequest(path, fields) {
  const values = new Map(fields.filter((field) => field.isInPath).map((field) => [field.name, field.value]));
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => encode(values.get(name) ?? ""));
  const query = fields.filter((field) => !field.isInPath && field.value);
  const pairs = query.map((field) => `${field.name}=${encode(field.value)}`);
  return filled + (pairs.length ? `?${pairs.join("&")}` : "");
}

/**
 * What fields begin with: the values of a request that works.
 * @param {string} path with braces
 * @param {string} request
 * @returns {Map<string, string>} by `path metro` or `query limit`
 */
export function parseRequest(path, request) {
  const [written, query = ""] = request.split("?");
  const names = [...path.matchAll(/\{(\w+)\}/g)].map((found) => found[1]);
  const pattern = new RegExp(`^${path.replace(/[.]/g, "\\.").replace(/\{\w+\}/g, "([^/]+)")}$`);
  const found = pattern.exec(written) ?? [];
  const inPath = names.map(
    (name, place) => /** @type {[string, string]} */ ([`path ${name}`, decodeURIComponent(found[place + 1] ?? "")]),
  );
  const inQuery = [...new URLSearchParams(query)].map(
    ([name, value]) => /** @type {[string, string]} */ ([`query ${name}`, value]),
  );
  return new Map([...inPath, ...inQuery]);
}

/**
 * Commas and colons stay readable; what a shell would take for its own is escaped.
 * @param {string} text
 */
function encode(text) {
  return encodeURIComponent(text).replaceAll("%2C", ",").replaceAll("%3A", ":").replaceAll("!", "%21");
}

/**
 * The code beside the form follows it, in each language.
 * @param {Element} route
 * @param {string} before
 * @param {string} after
 */
export function replaceRequest(route, before, after) {
  for (const part of route.querySelectorAll("figure[data-code] [data-origin]")) {
    part.textContent = (part.textContent ?? "").replace(`${before}"`, () => `${after}"`);
  }
}
