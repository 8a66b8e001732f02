/** Decides which listings, dates and sections a request's filters let through, as the API does. */

/**
 * @typedef {import("./listings.js").Listing} Listing
 * @typedef {import("./listings.js").EventDate} EventDate
 * @typedef {import("./listings.js").Offer} Offer
 * @typedef {{latest: number | null, earliest: number | null}} Window days from the index's date on
 * @typedef {object} Filter
 * @property {(listing: Listing) => boolean} takes the listing itself
 * @property {(part: any) => boolean} takesPart one of its dates, sections or sessions
 * @property {number} from the day from which on meetings count
 * @property {Window} window
 */

const WEEK = 7;
const EARTH_M = 6_371_008.8;
const FACTS = ["indoor", "outdoor", "sensory", "good_for_rainy"];

/**
 * @param {Map<string, string>} values the filters, by the API's names
 * @param {object} about
 * @param {string} about.collection
 * @param {any} about.rules of the index
 * @param {(day: string) => number} about.numberDay
 * @param {number} about.today
 * @returns {Filter}
 */
export function makeFilter(values, { collection, rules, numberDay, today }) {
  const takes = new Set(rules.takes[collection]);
  const given = new Map([...values].filter(([name]) => takes.has(name)));
  const window = findWindow(given, rules.windows[collection], numberDay, today);
  /** @type {((listing: Listing) => boolean)[]} */
  const tests = [];
  /** @type {((part: any) => boolean)[]} */
  const parts = [];
  const isOffer = collection === "classes" || collection === "camps";
  const add = (/** @type {(thing: any) => boolean} */ test) => (isOffer ? parts : tests).push(test);

  const list = (/** @type {string} */ name) => given.get(name)?.split(",").filter(Boolean);
  const categories = list("category");
  if (categories) tests.push(({ categories: own }) => own.some((word) => categories.includes(word)));
  for (const [at, name] of FACTS.entries()) {
    if (given.has(name)) tests.push(({ facts }) => facts[at] === (given.get(name) === "true"));
  }
  if (given.has("organization_id")) tests.push(({ organization }) => organization?.id === given.get("organization_id"));
  if (given.has("neighborhood")) tests.push(makeAreaTest(given.get("neighborhood") ?? ""));
  if (given.has("type_hint")) tests.push(({ typeHint }) => list("type_hint")?.includes(typeHint ?? "") ?? false);
  if (given.has("lat")) tests.push(makeCircle(given, rules.radius_m));
  if (given.has("age")) add(makeAgeTest(Number(given.get("age"))));
  if (given.has("free")) add(({ price }) => price.is_free === (given.get("free") === "true"));
  if (given.has("max_price")) add(makePriceTest(Number(given.get("max_price"))));
  if (given.has("openings")) parts.push(({ openings }) => openings === (given.get("openings") === "true"));

  const weekdays = list("weekday")?.map((word) => rules.weekdays.indexOf(word));
  const first = numberDay("1970-01-05"); // a Monday
  if (weekdays && collection === "events")
    parts.push(({ day }) => weekdays.includes((((day - first) % WEEK) + WEEK) % WEEK));
  else if (weekdays) parts.push(({ days }) => weekdays.some((bit) => ((days ?? 0) >> bit) & 1));
  const [after, before] = ["start_after", "start_before"].map((name) => readMinute(given.get(name)));
  if (after !== null) parts.push(({ minute }) => minute !== null && minute >= after);
  if (before !== null) parts.push(({ minute }) => minute !== null && minute < before);
  const [least, most] = ["starts_from", "starts_to"].map((name) => given.get(name));
  if (least) parts.push(({ starts }) => starts !== null && starts >= numberDay(least));
  if (most) parts.push(({ starts }) => starts !== null && starts <= numberDay(most));
  const takesWindow = makeWindowTest(collection, window, { meets: given.has("meets"), monday: first });
  if (takesWindow) parts.push(takesWindow);
  return {
    takes: (listing) => tests.every((test) => test(listing)),
    takesPart: (part) => parts.every((test) => test(part)),
    from: given.has("from") ? (window.earliest ?? today) : today,
    window,
  };
}

/**
 * @param {Map<string, string>} given
 * @param {Record<string, number>} defaults by parameter, in days
 * @param {(day: string) => number} numberDay
 * @param {number} today
 * @returns {Window}
 */
function findWindow(given, defaults, numberDay, today) {
  const [from, to] = ["from", "to"].map((name) => given.get(name));
  const earliest = from ? numberDay(from) : "from" in defaults ? today + defaults.from : null;
  const latest = to ? numberDay(to) : "to" in defaults && earliest !== null ? earliest + defaults.to : null;
  return { earliest, latest };
}

/**
 * @param {string} collection
 * @param {Window} window
 * @param {{meets: boolean, monday: number}} about
 * @returns {((part: any) => boolean) | null}
 */
function makeWindowTest(collection, { earliest, latest }, { meets, monday }) {
  const low = earliest ?? Number.NEGATIVE_INFINITY;
  const high = latest ?? Number.POSITIVE_INFINITY;
  if (collection === "events") return ({ day }) => day >= low && day <= high;
  if (collection === "camps")
    return ({ starts, ends, isUndated }) =>
      (isUndated && !meets) || (ends !== null && ends >= low && starts !== null && starts <= high);
  if (collection !== "classes") return null;
  const overlaps = (/** @type {Offer} */ { starts, ends }, /** @type {number} */ low, /** @type {number} */ high) =>
    (ends ?? low) >= low && (starts ?? high) <= high;
  if (!meets) return (offer) => overlaps(offer, low, high);
  if (earliest === null) return () => true;
  // In a long window only the first and the last seven days need the weekday; between them a term has begun.
  const days = new Set(Array.from({ length: WEEK }, (_, at) => earliest + at));
  if (latest !== null) for (let at = 0; at < WEEK; at++) days.add(latest - at);
  const near = [...days].filter((day) => day >= low && day <= high);
  return (offer) => {
    const { starts, ends } = offer;
    const own = offer.days ?? 0;
    if (near.some((day) => overlaps(offer, day, day) && (own >> ((((day - monday) % WEEK) + WEEK) % WEEK)) & 1))
      return true;
    if (starts === null || starts < low) return false;
    if (own && starts <= high - WEEK) return true;
    return starts <= high && ends !== null && ends >= low && ends <= high;
  };
}

/**
 * A listing that states no age is for every age.
 * @param {number} age
 */
export function makeAgeTest(age) {
  return (/** @type {{ageMin: number | null, ageMax: number | null}} */ { ageMin, ageMax }) =>
    (ageMin ?? age) <= age && age <= (ageMax ?? age);
}

/** @param {number} most */
function makePriceTest(most) {
  return (/** @type {{price: import("./listings.js").Price}} */ { price }) =>
    price.is_free === true || (price.min !== null && price.min <= most);
}

/** @param {string} text a slug or a name */
function makeAreaTest(text) {
  const [slug, key] = [text.toLowerCase(), fold(text)];
  return (/** @type {Listing} */ { venue }) =>
    venue.neighborhood_slug === slug || (venue.neighborhood !== null && fold(venue.neighborhood) === key);
}

/**
 * A text without case, accents and punctuation.
 * @param {string} text
 */
export function fold(text) {
  return text
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}

/**
 * @param {Map<string, string>} given
 * @param {number} usual
 */
function makeCircle(given, usual) {
  const center = { lat: Number(given.get("lat")), lng: Number(given.get("lng")) };
  const radius = Number(given.get("radius_m") ?? usual);
  return (/** @type {Listing} */ { venue }) => {
    const metres = measure(center, venue);
    return metres !== null && metres <= radius;
  };
}

/**
 * Metres between a point and a venue, null where the venue has no point.
 * @param {{lat: number, lng: number}} one
 * @param {{lat: number | null, lng: number | null}} other
 */
export function measure(one, { lat, lng }) {
  if (lat === null || lng === null) return null;
  const radians = (/** @type {number} */ degrees) => (degrees * Math.PI) / 180;
  const [north, east] = [radians(lat - one.lat) / 2, radians(lng - one.lng) / 2];
  const h = Math.sin(north) ** 2 + Math.cos(radians(one.lat)) * Math.cos(radians(lat)) * Math.sin(east) ** 2;
  return 2 * EARTH_M * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** @param {string | undefined} clock as `09:30` */
function readMinute(clock) {
  if (!clock) return null;
  const [hour, minute, second = 0] = clock.split(":").map(Number);
  return hour * 60 + minute + second / 60;
}
