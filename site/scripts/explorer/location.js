import { Failure } from "./api.js";

/** @import { Around, Body, Bounds, Item, Metro, NearbyBody, Neighborhood, Suggestion } from "../../types/api.js" */

/**
 * @typedef {{near: string, lat: string, lng: string}} Spot how a point is called, and where it is
 */

// Of a line that ends with more than a name, as many words as the longest name of a place has.
const MOST_WORDS = 5;
// A hundred metres: enough for what is near, and no house.
const DECIMALS = 3;
const PATIENCE_MS = 10_000;

/**
 * Where the words lead to, as few of their last ones left out as can be: the middle of a postal code, the
 * first neighborhood or place that is suggested, or an address as the API resolves it.
 * @param {string} words
 * @param {object} about
 * @param {import("./api.js").Api} about.api
 * @param {Metro} about.metro in which the point has to lie
 * @param {Neighborhood[]} about.areas neighborhoods
 * @returns {Promise<{spot: Spot, rest: string} | null>}
 */
export async function findSpot(words, { api, metro, areas }) {
  const all = words.split(/\s+/).filter(Boolean);
  for (let count = Math.min(all.length, MOST_WORDS); count > 0; count--) {
    const name = all.slice(0, count).join(" ");
    const point = await findPoint(name, { api, metro, areas });
    if (point && isWithin(point, metro.bounds))
      return { spot: makeSpot(name, point.lat, point.lng), rest: all.slice(count).join(" ") };
  }
  return null;
}

/**
 * @param {string} name
 * @param {{api: import("./api.js").Api, metro: Metro, areas: Neighborhood[]}} about
 * @returns {Promise<{lat: number, lng: number} | null>}
 */
async function findPoint(name, { api, metro, areas }) {
  const base = encodeURIComponent(metro.slug);
  if (/^\d{5}$/.test(name)) {
    /** @type {NearbyBody | null} */
    const body = await ask(
      api,
      `${base}/nearby?${new URLSearchParams({ near_zip: name, limit: "1", fields: "name" })}`,
    );
    return body?.meta.origin ?? null;
  }
  /** @type {Body<Suggestion[]> | null} */
  const suggested = /\d/.test(name) ? null : await ask(api, `${base}/suggest?${new URLSearchParams({ q: name })}`);
  const kinds = ["neighborhood", "place"];
  const first = suggested?.data.find(
    (suggestion) => kinds.includes(suggestion.kind) && beginsWith(suggestion.text, name),
  );
  if (first?.kind === "neighborhood") {
    const bounds = areas.find((area) => area.slug === first.slug)?.bounds;
    return bounds ? { lat: (bounds.south + bounds.north) / 2, lng: (bounds.west + bounds.east) / 2 } : null;
  }
  /** @type {Body<Item> | null} */
  const place = first ? await ask(api, `places/${first.id}`) : null;
  const { lat = null, lng = null } = place?.data.location ?? {};
  if (lat !== null && lng !== null) return { lat, lng };
  /** @type {Body<Around> | null} */
  const body = await ask(api, `${base}/around?${new URLSearchParams({ address: name, limit: "1" })}`);
  return body?.data.location ?? null;
}

/**
 * @param {{lat: number, lng: number}} point
 * @param {Bounds} bounds
 */
function isWithin({ lat, lng }, { south, west, north, east }) {
  return south <= lat && lat <= north && west <= lng && lng <= east;
}

/**
 * @param {string} text
 * @param {string} words
 */
function beginsWith(text, words) {
  return text.toLocaleLowerCase().startsWith(words.toLocaleLowerCase());
}

/**
 * Null where the API knows no such thing, or is not set up to say.
 * @template Answer
 * @param {import("./api.js").Api} api
 * @param {string} path
 * @returns {Promise<Answer | null>}
 */
async function ask(api, path) {
  try {
    return /** @type {Answer} */ (await api.read(path));
  } catch (error) {
    if (error instanceof Failure && [400, 404, 501].includes(error.status)) return null;
    throw error;
  }
}

/**
 * @param {string} near
 * @param {number} lat
 * @param {number} lng
 * @returns {Spot}
 */
export function makeSpot(near, lat, lng) {
  return { near, lat: lat.toFixed(DECIMALS), lng: lng.toFixed(DECIMALS) };
}

/**
 * Where the visitor is, if the browser may say so.
 * @param {string} near how it is called
 * @returns {Promise<Spot>}
 */
export function locateVisitor(near) {
  return new Promise((resolve, reject) => {
    if (!navigator.geolocation) return reject(new Error("there is no geolocation"));
    navigator.geolocation.getCurrentPosition(
      ({ coords }) => resolve(makeSpot(near, coords.latitude, coords.longitude)),
      reject,
      { timeout: PATIENCE_MS, maximumAge: 600_000 },
    );
  });
}

const EARTH_M = 6_371_000;

/**
 * Metres between two points.
 * @param {{lat: number, lng: number}} one
 * @param {{lat: number, lng: number}} other
 */
export function measure(one, other) {
  const radians = (/** @type {number} */ degrees) => (degrees * Math.PI) / 180;
  const [lat, lng] = [radians(other.lat - one.lat), radians(other.lng - one.lng)];
  const h = Math.sin(lat / 2) ** 2 + Math.cos(radians(one.lat)) * Math.cos(radians(other.lat)) * Math.sin(lng / 2) ** 2;
  return 2 * EARTH_M * Math.asin(Math.sqrt(h));
}
