import { findDay, formatLocal, joinLocal, numberDay } from "./clock.js";
import { openParquet } from "./table.js";

/** @typedef {import("./table.js").Table} Table */

// As many rows as the Parquet file has in a group: what is read at once.
const GROUP = 256;

/** Listings as the API shows them, of the members that the explorer shows. */
export class CardReader {
  /**
   * @param {string} parquet base64: a row each, in JSON
   * @param {Record<string, Table>} tables
   */
  constructor(parquet, { listings, occurrences }) {
    this.parquet = openParquet(parquet);
    this.listings = listings;
    this.occurrences = occurrences;
    /** @type {Map<number, Promise<string[]>>} */
    this.groups = new Map();
  }

  /**
   * @param {number} row
   * @returns {Promise<any>}
   */
  async #read(row) {
    const group = Math.floor(row / GROUP);
    let reading = this.groups.get(group);
    if (!reading) {
      const rowEnd = Math.min((group + 1) * GROUP, this.parquet.size);
      reading = this.parquet.read("card", group * GROUP, rowEnd);
      this.groups.set(group, reading);
    }
    return JSON.parse((await reading)[row % GROUP]);
  }

  /**
   * A series with its next date.
   * @param {number[]} rows
   * @param {string} today
   */
  async readRows(rows, today) {
    const isSeries = this.listings.numbers("is_recurring");
    const next = this.#findNext(rows.filter((row) => isSeries[row] === 1), numberDay(today));
    return Promise.all(
      rows.map(async (row) => {
        const item = await this.#read(row);
        return next.has(row) ? { ...item, occurrence: { next_starts_local: next.get(row) } } : item;
      }),
    );
  }

  /**
   * Events at one of their dates each.
   * @param {number[]} numbers
   * @param {string} today
   */
  async readOccurrences(numbers, today) {
    const [rows, dates, times] = ["row", "date", "time"].map((name) => this.occurrences.numbers(name));
    const items = await this.readRows(numbers.map((number) => rows[number]), today);
    return items.map((item, at) => {
      const starts_local = formatLocal(joinLocal(dates[numbers[at]], times[numbers[at]]));
      return { ...item, starts_local, occurrence: { ...item.occurrence, starts_local } };
    });
  }

  /**
   * Of series: the first date on the day or later, null where none is left.
   * @param {number[]} rows
   * @param {number} today
   * @returns {Map<number, string | null>}
   */
  #findNext(rows, today) {
    /** @type {Map<number, string | null>} */
    const found = new Map();
    const asked = new Set(rows);
    const [own, dates, times] = ["row", "date", "time"].map((name) => this.occurrences.numbers(name));
    for (let number = 0; number < this.occurrences.size; number++) {
      const row = own[number];
      if (dates[number] >= today && asked.delete(row)) found.set(row, formatLocal(joinLocal(dates[number], times[number])));
    }
    const beyond = this.listings.numbers("beyond_starts_local");
    for (const row of asked) found.set(row, findDay(beyond[row]) >= today ? formatLocal(beyond[row]) : null);
    return found;
  }
}
