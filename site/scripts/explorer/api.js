import { LONGEST_PAGE } from "./requests.js";

/** @import { Item, ListBody } from "../../types/api.js" */

/** What an API answered that is no success, or that it could not be reached (`status` 0). */
export class Failure extends Error {
  /**
   * @param {number} status
   * @param {string} message
   * @param {number} wait seconds until it is worth another attempt
   */
  constructor(status, message, wait = 0) {
    super(message);
    this.status = status;
    this.wait = wait;
  }
}

const KEPT = "outings-key";
// A rate fills up by the second: whoever was too quick waits so long, in seconds, and notices little. More is said
// instead.
const MOST_WAIT = 10;

/** The API as a client with a key reads it. The reader's own key is kept in this tab alone. */
export class Api {
  /**
   * @param {string} base the address of `/v1/`
   * @param {string} publicKey the site's own; empty where it has none
   */
  constructor(base, publicKey) {
    this.base = new URL(base, document.baseURI);
    this.publicKey = publicKey;
    this.longest = LONGEST_PAGE;
  }

  get ownKey() {
    try {
      return sessionStorage.getItem(KEPT) ?? "";
    } catch {
      return "";
    }
  }

  /** @param {string} text empty: forget it */
  keepKey(text) {
    try {
      if (text) sessionStorage.setItem(KEPT, text);
      else sessionStorage.removeItem(KEPT);
    } catch {
      this.publicKey = text; // storage is switched off: it holds until the page is left
    }
  }

  get key() {
    return this.ownKey || this.publicKey;
  }

  /** @param {string} path behind `/v1/` */
  locate(path) {
    return new URL(path, this.base).href;
  }

  /**
   * Where the rate is used up, it is asked again as soon as the API says that it may be.
   * @template [Answer=ListBody]
   * @param {string} path behind `/v1/`
   * @param {AbortSignal} [signal]
   * @returns {Promise<Answer>}
   */
  async read(path, signal) {
    for (let left = MOST_WAIT; ; ) {
      const answer = await this.#fetch(path, signal);
      const body = await answer.json().catch(() => null);
      if (answer.ok && body) return body;
      const wait = Number(answer.headers.get("retry-after")) || 0;
      if (answer.status !== 429 || wait === 0 || wait > left) {
        throw new Failure(answer.status, body?.error?.message ?? answer.statusText, wait);
      }
      left -= wait;
      await new Promise((resolve) => setTimeout(resolve, wait * 1000));
    }
  }

  /**
   * The rows of a list, page after page until there are so many.
   * @param {string} path
   * @param {number} most
   * @param {AbortSignal} [signal]
   * @returns {Promise<{rows: Item[], isWhole: boolean}>}
   */
  async readRows(path, most, signal) {
    /** @type {Item[]} */
    const rows = [];
    /** @type {string | null} */
    let cursor = null;
    do {
      /** @type {ListBody} */
      const body = await this.read(cursor ? `${path}&cursor=${encodeURIComponent(cursor)}` : path, signal);
      rows.push(...body.data);
      cursor = body.meta.next_cursor;
    } while (cursor && rows.length < most);
    return { rows, isWhole: !cursor };
  }

  /**
   * @param {string} path
   * @param {AbortSignal} [signal]
   */
  async #fetch(path, signal) {
    try {
      return await fetch(this.locate(path), { headers: this.key ? { "X-API-Key": this.key } : {}, signal });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new Failure(0, String(error));
    }
  }
}
