import { Refusal } from "../explorer/api.js";
import { findToday } from "../explorer/days.js";
import { CardReader } from "./cards.js";
import { chooseNear } from "./circle.js";
import { formatDay, numberDay } from "./clock.js";
import { countFacets } from "./counts.js";
import { readFilters } from "./filters.js";
import { selectRows } from "./selection.js";
import { readTable } from "./table.js";

/**
 * @typedef {import("../explorer/language.js").Language} Language
 * @typedef {import("./filters.js").ListType} ListType
 * @typedef {import("./selection.js").TypeTables} TypeTables
 * @typedef {{metro: any, types: Record<string, ListType>, happenings: Record<string, string>, vocabulary: import("./counts.js").Vocabulary,
 *   neighborhoods: any[], cells: {degrees: number, corners: Record<number, [number, number]>}, cards: string, tables: Record<string, import("./table.js").StoredTable>}} Data
 */

const CONTROLS = ["facets", "limit", "page", "occurrences", "fields", "lat", "lng", "radius_m"];

/** What the folder's data answers in place of the API, to the requests that the explorer makes. */
export class Folder {
  hasDensity = true;

  /**
   * @param {Data} data
   * @param {Language} language
   */
  constructor(data, language) {
    this.data = data;
    this.language = language;
    this.opening = this.#open();
  }

  get today() {
    return findToday(this.data.metro.timezone);
  }

  async #open() {
    const { data } = this;
    const names = Object.keys(data.tables);
    const tables = Object.fromEntries(await Promise.all(names.map(async (name) => [name, await readTable(data.tables[name])])));
    const types = tables.listings.numbers("type");
    /** @type {Record<string, TypeTables>} */
    const own = {};
    for (const [number, name] of Object.keys(data.types).entries()) {
      const first = types.findIndex((/** @type {number} */ each) => each >= number);
      const size = types.reduce((/** @type {number} */ sum, /** @type {number} */ each) => sum + Number(each === number), 0);
      own[name] = { listings: tables.listings, happenings: tables[data.happenings[name]] ?? null, first: Math.max(first, 0), end: Math.max(first, 0) + size };
    }
    return { types: own, cards: new CardReader(data.cards, tables) };
  }

  /**
   * @param {string} path as the API has it behind `/v1/`
   * @returns {Promise<any>}
   */
  async read(path) {
    const { pathname, searchParams } = new URL(path, "file:///");
    const [first, second, third] = pathname.slice(1).split("/").map(decodeURIComponent);
    if (first === "metros") return { data: [await this.#tellMetro()] };
    if (first === "listings") throw new Refusal(this.language.say("offline_history"));
    if (first !== this.data.metro.slug) return this.#readListing(second);
    if (second === "neighborhoods") return { data: this.data.neighborhoods };
    if (third === "density") return this.#countCells(second, searchParams);
    if (third === "calendar") return this.#countDays(searchParams);
    return this.#list(second, searchParams, Number(searchParams.get("limit")));
  }

  /**
   * @param {string} path
   * @param {number} most
   * @returns {Promise<{rows: any[], isWhole: boolean}>}
   */
  async readRows(path, most) {
    const { pathname, searchParams } = new URL(path, "file:///");
    const { data, total } = await this.#list(pathname.split("/")[2], searchParams, most);
    return { rows: data, isWhole: data.length === total };
  }

  async #tellMetro() {
    const counts = Object.entries(this.data.types).map(async ([name, { collection }]) => {
      const { selection } = await this.#select(name, new URLSearchParams());
      return [collection, selection.rows.length];
    });
    return { ...this.data.metro, accessible: true, counts: Object.fromEntries(await Promise.all(counts)) };
  }

  /**
   * @param {string} name
   * @param {URLSearchParams} sent
   */
  async #select(name, sent) {
    const tables = (await this.opening).types[name];
    const type = this.data.types[name];
    const own = new URLSearchParams([...sent].filter(([each]) => !CONTROLS.includes(each)));
    const values = readFilters(type, own, { today: this.today, language: this.language });
    const start = values.get("from") ?? numberDay(this.today);
    return { tables, values, selection: selectRows(name, type, tables, values, start) };
  }

  /**
   * @param {string} collection
   * @param {URLSearchParams} sent
   * @param {number} limit
   */
  async #list(collection, sent, limit) {
    const name = this.#nameType(collection);
    const { tables, selection } = await this.#select(name, sent);
    const numbers = sent.get("occurrences") === "expand" ? listOccurrences(tables, selection) : null;
    const dimensions = sent.get("facets")?.split(",") ?? [];
    const facets = countFacets(dimensions, selection, tables, this.data.vocabulary, numbers);
    const skipped = (Number(sent.get("page") ?? 1) - 1) * limit;
    const { cards } = await this.opening;
    const chosen = sent.has("lat") ? chooseNear(selection.rows, tables.listings, sent) : (numbers ?? selection.rows);
    const shown = chosen.slice(skipped, skipped + limit);
    const data = await (numbers ? cards.readOccurrences(shown, this.today) : cards.readRows(shown, this.today));
    return { data, facets, total: facets.total };
  }

  /** @param {string} collection */
  #nameType(collection) {
    return Object.keys(this.data.types).find((name) => this.data.types[name].collection === collection) ?? "";
  }

  /** @param {URLSearchParams} sent */
  async #countDays(sent) {
    const { tables, values, selection } = await this.#select("event", sent);
    const [from, to] = [values.get("from"), values.get("to")];
    const counts = new Array(to - from + 1).fill(0);
    const dates = /** @type {import("./table.js").Table} */ (tables.happenings).numbers("date");
    const numbers = listOccurrences(tables, selection);
    for (const number of numbers) counts[dates[number] - from] += 1;
    return { data: counts.map((count, at) => ({ date: formatDay(from + at), count })), meta: { total: numbers.length } };
  }

  /**
   * @param {string} collection
   * @param {URLSearchParams} sent
   */
  async #countCells(collection, sent) {
    const { tables, selection } = await this.#select(this.#nameType(collection), sent);
    const cells = tables.listings.numbers("cell");
    const { degrees, corners } = this.data.cells;
    /** @type {Map<number, number>} */
    const counts = new Map();
    for (const row of selection.rows) if (!Number.isNaN(cells[row])) counts.set(cells[row], (counts.get(cells[row]) ?? 0) + 1);
    const numbers = [...counts.keys()].sort((one, other) => one - other);
    const data = numbers.map((number) => ({ south: corners[number][0], west: corners[number][1], count: counts.get(number) }));
    return { data, meta: { degrees, total: selection.rows.length } };
  }

  /** @param {string} id */
  async #readListing(id) {
    const { types, cards } = await this.opening;
    const ids = /** @type {string[]} */ (Object.values(types)[0].listings.columns.id);
    const row = ids.indexOf(id);
    if (row < 0) throw new Refusal(this.language.say("offline_gone"));
    return { data: (await cards.readRows([row], this.today))[0] };
  }
}

/**
 * The occurrences that meet all conditions, in the table's order, which is the list's.
 * @param {TypeTables} tables
 * @param {import("./selection.js").Selection} selection
 */
function listOccurrences({ happenings }, { isMatch, held }) {
  const table = /** @type {import("./table.js").Table} */ (happenings);
  const rows = table.numbers("row");
  const numbers = [];
  for (let number = 0; number < table.size; number++) {
    if (isMatch[rows[number]] && (!held || held[number])) numbers.push(number);
  }
  return numbers;
}
