/**
 * @typedef {import("./table.js").Table} Table
 * @typedef {import("./selection.js").Selection} Selection
 * @typedef {import("./selection.js").TypeTables} TypeTables
 * @typedef {{category: string[], weekday: string[], time_block: string[], price_band: string[], age_band: string[]}} Buckets
 * @typedef {{buckets: Buckets, block_starts: number[], organizations: [string, string][]}} Vocabulary
 */

const TOP = 10;
const UNSPECIFIED = "unspecified";

/**
 * A list by the dimensions of its facets, each under its own filter too. With `numbers` each of these occurrences counts.
 * @param {string[]} dimensions
 * @param {Selection} selection
 * @param {TypeTables} tables
 * @param {Vocabulary} vocabulary
 * @param {number[] | null} numbers
 */
export function countFacets(dimensions, selection, tables, vocabulary, numbers) {
  const rowOf = tables.happenings?.numbers("row");
  const rows = numbers ? numbers.map((number) => /** @type {Float64Array} */ (rowOf)[number]) : selection.rows;
  /** @type {Record<string, any>} */
  const facets = { total: rows.length, is_complete: true };
  for (const name of dimensions) {
    if (name === "organization") facets[name] = countOrganizations(rows, tables.listings, vocabulary.organizations);
    else facets[name] = countBuckets(name, rows, numbers, selection, tables, vocabulary);
  }
  return facets;
}

/**
 * @param {string} name
 * @param {number[]} rows
 * @param {number[] | null} numbers
 * @param {Selection} selection
 * @param {TypeTables} tables
 * @param {Vocabulary} vocabulary
 */
function countBuckets(name, rows, numbers, selection, tables, vocabulary) {
  const words = vocabulary.buckets[/** @type {keyof Buckets} */ (name)];
  const counts = new Array(words.length + 1).fill(0);
  const add = (/** @type {number[]} */ places) => {
    for (const place of places) counts[place] += 1;
  };
  const { listings, happenings } = tables;
  const isOfHappenings = ["weekday", "time_block"].includes(name) || `${name}s` in (happenings?.columns ?? {});
  if (isOfHappenings) {
    const list = listOfHappening(name, /** @type {Table} */ (happenings), vocabulary);
    if (numbers) for (const number of numbers) add(list(number));
    else for (const places of gatherHappenings(list, selection, tables, words.length)) add(places);
  } else if (name === "category") {
    const [codes, sets] = [listings.numbers("categories"), listings.sets.categories];
    for (const row of rows) add(sets[codes[row]].length ? sets[codes[row]] : [words.length]);
  } else if (name === "price_band") {
    const bands = listings.numbers("price_band");
    for (const row of rows) counts[bands[row]] += 1;
  } else {
    const bands = listings.numbers("age_bands");
    for (const row of rows) add(listBits(bands[row]));
  }
  return [...words, UNSPECIFIED].map((value, place) => ({ value, count: counts[place] }));
}

/**
 * Which weekdays or time blocks a happening has, a section or session also which prices and ages, by number; one past
 * the last where it states none.
 * @param {string} name
 * @param {Table} happenings
 * @param {Vocabulary} vocabulary
 * @returns {(number: number) => number[]}
 */
function listOfHappening(name, happenings, { buckets, block_starts }) {
  if (name === "time_block") {
    const times = happenings.numbers("time");
    return (number) => [Number.isNaN(times[number]) ? block_starts.length : block_starts.findLastIndex((start) => start <= times[number])];
  }
  if (name !== "weekday") {
    const bands = happenings.numbers(`${name}s`);
    return (number) => listBits(bands[number]);
  }
  if ("weekday" in happenings.columns) {
    const weekdays = happenings.numbers("weekday");
    return (number) => [weekdays[number]];
  }
  const [codes, sets] = [happenings.numbers("days"), happenings.sets.days];
  return (number) => (sets[codes[number]].length ? sets[codes[number]] : [buckets.weekday.length]);
}

/**
 * Of each listing that is shown: what its happenings that match have, each once. It states none only where all of these
 * do not: turned round, that bit is "stated", which one of them is enough for.
 * @param {(number: number) => number[]} list
 * @param {Selection} selection
 * @param {TypeTables} tables
 * @param {number} none the bucket of a listing without any happening
 */
function gatherHappenings(list, selection, { listings, happenings }, none) {
  const table = /** @type {Table} */ (happenings);
  const rowOf = table.numbers("row");
  const bits = new Uint16Array(listings.size);
  for (let number = 0; number < table.size; number++) {
    if (!selection.isMatch[rowOf[number]] || (selection.held && !selection.held[number])) continue;
    bits[rowOf[number]] |= list(number).reduce((all, place) => all | (1 << place), 0) ^ (1 << none);
  }
  return selection.rows.map((row) => listBits(bits[row] ^ (1 << none)));
}

/** @param {number} bits */
function listBits(bits) {
  const found = [];
  for (let place = 0; bits >> place; place++) if ((bits >> place) & 1) found.push(place);
  return found;
}

/**
 * The top by count, then by name and id: the order of their numbers.
 * @param {number[]} rows
 * @param {Table} listings
 * @param {[string, string][]} organizations
 */
function countOrganizations(rows, listings, organizations) {
  const numbers = listings.numbers("organization");
  const counts = new Array(organizations.length + 1).fill(0);
  for (const row of rows) counts[numbers[row]] += 1;
  const unspecified = counts.pop();
  const found = [...counts.keys()].filter((number) => counts[number]);
  const top = found.sort((one, other) => counts[other] - counts[one] || one - other).slice(0, TOP);
  const named = top.map((number) => ({ id: organizations[number][0], name: organizations[number][1], count: counts[number] }));
  const others = rows.length - unspecified - named.reduce((sum, each) => sum + each.count, 0);
  return { distinct: found.length, top: named, other_count: others, unspecified_count: unspecified };
}
