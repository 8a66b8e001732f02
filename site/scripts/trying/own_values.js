/** @import { Metro } from "../../types/api.js" */

/**
 * Values that this server has, in place of those of the sample cities: a metro that the key may read and its middle,
 * and what stands first in the list that the path is of.
 * @param {string} path with braces
 * @param {(request: string) => Promise<{data: object[]}>} ask
 * @returns {Promise<Map<string, string>>} by name
 */
export async function findOwnValues(path, ask) {
  const metros = /** @type {Metro[]} */ ((await ask("/v1/metros")).data);
  const metro = metros.find((metro) => metro.accessible);
  if (!metro) return new Map();
  const found = new Map([
    ["metro", metro.slug],
    ["lat", String(metro.center.lat)],
    ["lng", String(metro.center.lng)],
  ]);
  const list = nameList(path);
  if (!list) return found;
  const { data } = await ask(`/v1/${encodeURIComponent(metro.slug)}/${list}`);
  const [first] = /** @type {{id?: string, slug?: string, links?: {self?: string}}[]} */ (data);
  if (!first) return found;
  if (first.links?.self) found.set("file", first.links.self.split("/").at(-1) ?? "");
  if (first.slug) found.set("slug", first.slug);
  if (first.id) found.set("id", first.id).set("ids", first.id);
  return found;
}

/**
 * The list whose first item fills the path; empty where a metro is enough.
 * @param {string} path
 */
function nameList(path) {
  const [, , first, second] = path.split("/");
  if (path.includes("{file}")) return "export";
  if (first === "{metro}") return second === "events.ics" ? "events?limit=1" : "";
  return path.includes("{") ? `${first === "listings" ? "events" : first}?limit=1` : "";
}
