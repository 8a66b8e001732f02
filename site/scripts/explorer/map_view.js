import { element } from "./element.js";
import { makeLink } from "./list_view.js";
import { MOST_ROWS } from "./requests.js";

/** @import { DensityBody, Item, Metro, Neighborhood } from "../../types/api.js" */

/**
 * @typedef {import("./language.js").Language} Language
 * @typedef {import("./list_view.js").Ways} Ways
 * @typedef {{lat: number, lng: number, radius_m: number}} Circle
 * @typedef {(circle: Circle, signal: AbortSignal) => Promise<{rows: Item[], isWhole: boolean}>} ReadNear
 * @typedef {{type: string, total: number, metro: Metro, areas: Neighborhood[], first: Item[],
 *   readNear: ReadNear}} About `first`: the first listings of the list
 */

/** A list of more than these is drawn as squares, else each listing as a point. */
export const MOST_POINTS = MOST_ROWS;
/** What the map reads at most of the part that is seen, each time that it comes to rest: three requests. */
export const MOST_NEAR = 600;
// What is told by name below the map: a map without names is nothing for a reader who does not see it.
const MOST_NAMED = 20;
// A map that moves on asks for nothing.
const REST_MS = 300;

/** The map of what the filters find: all of it as points, or as squares, and then what is near as points as well. It is
 * opened at the first look, and kept. */
export class MapView {
  /**
   * @param {() => Promise<{openMap: Function}>} load the map's own script
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
    this.note = element("p", { class: "note" });
    this.heading = element("h2", {});
    this.names = element("ul", { class: "names" });
    this.view = element("div", {}, this.frame, this.note, this.heading, this.names);
    /** @type {any} */
    this.map = null;
    /** @type {any[]} */
    this.cells = [];
    this.near = new AbortController();
  }

  /**
   * @param {HTMLElement} into
   * @param {{rows: Item[], density: DensityBody | null}} found
   *   the listings; or how many lie where, if they are too many
   * @param {About} about
   */
  async show(into, found, about) {
    this.about = about;
    into.replaceChildren(this.view);
    const { openMap } = await this.load();
    this.map ??= openMap(this.frame, {
      areas: about.areas,
      choose: (/** @type {any[]} */ points) => this.#name("on_map", points),
      look: (/** @type {any} */ sight) => this.#look(sight),
      zoomIn: this.language.say("zoom_in"),
      zoomOut: this.language.say("zoom_out"),
    });
    const points = makePoints(found.rows);
    this.cells = found.density?.data ?? [];
    const counted = this.cells.reduce((sum, cell) => sum + cell.count, 0);
    const most = this.cells.reduce((most, cell) => Math.max(most, cell.count), 0);
    this.frame.dataset.points = String(points.length);
    this.frame.dataset.counted = String(counted);
    this.note.textContent = this.cells.length
      ? this.language.say("map_squares", { shown: counted, total: about.total, most })
      : this.language.say(points.length < about.total ? "map_why" : "map_all", {
          shown: points.length,
          total: about.total,
        });
    this.map.show({ cells: this.cells, degrees: found.density?.meta.degrees ?? 0, points }, about.metro.bounds);
  }

  /** Another metro has another map. */
  close() {
    this.near.abort();
    this.map?.close();
    this.map = null;
  }

  /** @param {{points: any[], count: number, isNearest: boolean, circle: Circle}} sight */
  #look({ points, count, isNearest, circle }) {
    this.near.abort();
    if (!this.cells.length) return this.#name("on_map", points);
    if (count > MOST_NEAR && !isNearest) {
      if (this.frame.dataset.points !== "0") this.#showPoints([]);
      return this.#name("first_of_list", this.about?.first ?? []);
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
      this.#name("on_map", this.#showPoints(makePoints(rows)));
      if (!isWhole)
        this.names.prepend(element("li", { class: "note" }, this.language.say("near_part", { count: rows.length })));
    } catch {
      if (!signal.aborted)
        this.names.replaceChildren(element("li", { class: "note" }, this.language.say("near_failed")));
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
   * @param {string} heading
   * @param {any[]} points
   */
  #name(heading, points) {
    this.heading.textContent = this.language.say(heading);
    const { type } = /** @type {About} */ (this.about);
    const named = points
      .slice(0, MOST_NAMED)
      .map((point) => element("li", {}, makeLink({ type, ...point }, this.ways)));
    const more = points.length - named.length;
    if (more > 0) named.push(element("li", { class: "note" }, this.language.say("more", { count: more })));
    this.names.replaceChildren(...named);
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
