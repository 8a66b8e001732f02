import { element } from "./element.js";
import { makeItems, makeLink } from "./list_view.js";
import { MOST_ROWS } from "./requests.js";

/** @import { DensityBody, Item, Metro } from "../../types/api.js" */

/**
 * @typedef {import("./language.js").Language} Language
 * @typedef {import("./list_view.js").Ways} Ways
 * @typedef {{lat: number, lng: number, radius_m: number}} Circle
 * @typedef {(metro: string) => Promise<{openMap: Function, outlines: any, basemap: any}>} Load the map's own script,
 *   the metro's neighborhoods as GeoJSON, and the operator's base map, if there is one
 * @typedef {{
 *   state: import("./state.js").State,
 *   total: number,
 *   metro: Metro,
 *   first: Item[],
 *   readNear: (circle: Circle, signal: AbortSignal) => Promise<{rows: Item[], isWhole: boolean}>,
 *   readListings: (points: any[], signal: AbortSignal) => Promise<Map<string, Item>>,
 * }} About
 *   `first`: the first listings of the list
 */

/** A list of more than these is drawn as counts, else each listing as a point. */
export const MOST_POINTS = MOST_ROWS;
/** What the map reads at most of the part that is seen, each time that it comes to rest: three requests. */
export const MOST_NEAR = 600;
// What is told by name beside the map: a map without names is nothing for a reader who does not see it.
const MOST_NAMED = 20;
// A map that moves on asks for nothing.
const REST_MS = 300;

/** The map of what the filters find, and the list of what is seen: all of it as points, or as counts, and then what is
 * near as points as well. It is opened at the first look, and kept. */
export class MapView {
  /**
   * @param {Load} load
   * @param {Language} language
   * @param {Ways} ways
   */
  constructor(load, language, ways) {
    this.load = load;
    this.language = language;
    this.ways = ways;
    this.frame = element("div", {
      class: "map",
      "aria-label": language.say("map"),
      role: "application",
      tabindex: "0",
    });
    this.card = element("div", { class: "card", role: "region", "aria-label": language.say("map_card"), hidden: true });
    this.note = element("p", { class: "note" });
    this.heading = element("h2", {});
    this.names = element("div", { class: "names" });
    const point = (/** @type {Event} */ event) => {
      const id = findId(/** @type {Element} */ (event.target));
      if (id) this.map?.mark([id]);
    };
    this.names.addEventListener("pointerover", point);
    this.names.addEventListener("focusin", point);
    this.view = element(
      "div",
      { class: "map-view" },
      element("div", { class: "map-frame" }, this.frame, this.card),
      element("div", { class: "in-sight" }, this.note, this.heading, this.names),
    );
    /** @type {any} */
    this.map = null;
    /** @type {DensityBody["data"]} */
    this.cells = [];
    this.near = new AbortController();
    this.reading = new AbortController();
    /** @type {Map<string, Item>} what was read of listings, by id */
    this.known = new Map();
  }

  /**
   * @param {HTMLElement} into
   * @param {{rows: Item[], density: DensityBody | null}} found
   *   the listings; or how many lie where, if they are too many
   * @param {About} about
   */
  async show(into, found, about) {
    this.about = about;
    this.known = new Map(about.first.map((item) => [item.id, item]));
    this.#closeCard();
    into.replaceChildren(this.view);
    const { openMap, outlines, basemap } = await this.load(about.metro.slug);
    this.map ??= openMap(this.frame, {
      outlines,
      basemap,
      choose: (/** @type {any[]} */ points) => this.#choose(points),
      look: (/** @type {any} */ sight) => this.#look(sight),
      zoomIn: this.language.say("zoom_in"),
      zoomOut: this.language.say("zoom_out"),
    });
    const points = makePoints(found.rows);
    this.cells = found.density?.data ?? [];
    const counted = this.cells.reduce((sum, cell) => sum + cell.count, 0);
    this.frame.dataset.points = String(points.length);
    this.frame.dataset.counted = String(counted);
    this.note.textContent = this.cells.length
      ? this.language.say("map_counts", { shown: counted, total: about.total })
      : this.language.say(points.length < about.total ? "map_why" : "map_all", {
          shown: points.length,
          total: about.total,
        });
    this.map.show({ cells: this.cells, degrees: found.density?.meta.degrees ?? 0, points }, about.metro.bounds);
  }

  /** Another metro has another map. */
  close() {
    this.near.abort();
    this.reading.abort();
    this.map?.close();
    this.map = null;
  }

  /** @param {{points: any[], count: number, isNearest: boolean, circle: Circle}} sight */
  #look({ points, count, isNearest, circle }) {
    this.near.abort();
    if (!this.cells.length) return this.#list("on_map", points);
    if (count > MOST_NEAR && !isNearest) {
      if (this.frame.dataset.points !== "0") this.#showPoints([]);
      return this.#list("first_of_list", this.about?.first ?? []);
    }
    const near = (this.near = new AbortController());
    setTimeout(() => near.signal.aborted || this.#showNear(circle, near.signal), REST_MS);
  }

  /**
   * @param {Circle} circle
   * @param {AbortSignal} signal
   */
  async #showNear(circle, signal) {
    try {
      const { rows, isWhole } = await /** @type {About} */ (this.about).readNear(circle, signal);
      if (signal.aborted) return;
      const note = isWhole ? "" : this.language.say("near_part", { count: rows.length });
      this.#list("on_map", this.#showPoints(makePoints(rows)), note);
    } catch {
      if (!signal.aborted)
        this.names.replaceChildren(element("p", { class: "note" }, this.language.say("near_failed")));
    }
  }

  /**
   * @param {any[]} points
   * @returns {any[]} those that are seen
   */
  #showPoints(points) {
    this.frame.dataset.points = String(points.length);
    return this.map.showPoints(points);
  }

  /**
   * The list in step with the map: names at once, and what is to be known of each when the map rests.
   * @param {string} heading
   * @param {any[]} points
   * @param {string} [note]
   */
  #list(heading, points, note = "") {
    this.reading.abort();
    if (this.view.parentElement?.id === "beside") return this.names.replaceChildren(); // the page's list is beside it
    const reading = (this.reading = new AbortController());
    this.heading.textContent = this.language.say(heading);
    const named = points.slice(0, MOST_NAMED);
    const more = points.length - named.length;
    const show = () =>
      this.names.replaceChildren(
        ...(note ? [element("p", { class: "note" }, note)] : []),
        ...this.#makeRows(named, 3),
        ...(more > 0 ? [element("p", { class: "note" }, this.language.say("more", { count: more }))] : []),
      );
    show();
    const unread = named.filter(({ id }) => !this.known.has(id));
    if (unread.length)
      setTimeout(async () => {
        if (!reading.signal.aborted && (await this.#read(unread, reading.signal))) show();
      }, REST_MS);
  }

  /**
   * Reads what is to be known of listings. The names stay where this fails.
   * @param {any[]} points
   * @param {AbortSignal} signal
   */
  async #read(points, signal) {
    const { readListings } = /** @type {About} */ (this.about);
    const read = await readListings(points, signal).catch(() => new Map());
    for (const [id, item] of read) this.known.set(id, item);
    return !signal.aborted && read.size > 0;
  }

  /**
   * @param {any[]} points
   * @param {number} level of the first heading
   */
  #makeRows(points, level) {
    const { state } = /** @type {About} */ (this.about);
    const items = points.flatMap(({ id }) => this.known.get(id) ?? []);
    if (items.length === points.length) return makeItems(items, state, this.language, this.ways, level);
    const links = points.map((point) => element("li", {}, makeLink({ type: state.type, ...point }, this.ways)));
    return [element("ul", { class: "listings" }, ...links)];
  }

  /**
   * A card of what lies in one place, over the map's lower edge; it is marked there.
   * @param {any[]} points
   */
  async #choose(points) {
    const shown = points.slice(0, MOST_NAMED);
    const ids = shown.map(({ id }) => id);
    const close = element("button", { type: "button", class: "quiet", onclick: () => this.#closeCard() }, "✕");
    close.setAttribute("aria-label", this.language.say("close"));
    const show = () =>
      this.card.dataset.ids === ids.join(",") && this.card.replaceChildren(close, ...this.#makeRows(shown, 2));
    this.card.hidden = false;
    this.card.dataset.ids = ids.join(",");
    show();
    this.map.mark(ids);
    close.focus({ preventScroll: true });
    const unread = shown.filter(({ id }) => !this.known.has(id));
    if (unread.length && (await this.#read(unread, new AbortController().signal))) show();
    if (this.card.dataset.ids === ids.join(",")) this.map?.reveal(shown[0], this.card.offsetHeight);
  }

  #closeCard() {
    if (this.card.hidden) return;
    this.card.hidden = true;
    this.card.dataset.ids = "";
    this.map?.mark([]);
    this.frame.focus({ preventScroll: true });
  }
}

/** @param {Item[]} rows */
function makePoints(rows) {
  return rows
    .filter((row) => typeof row.location?.lat === "number" && typeof row.location.lng === "number")
    .map((row) => ({
      lat: row.location.lat,
      lng: row.location.lng,
      id: row.id,
      name: row.name,
      ...(row.type && { type: row.type }),
    }));
}

/**
 * The listing that an element of the list is of.
 * @param {Element} target
 */
function findId(target) {
  return target.closest("li")?.querySelector("a")?.dataset.listing;
}
