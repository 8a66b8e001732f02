import { element } from "./element.js";
import { makeLink } from "./list_view.js";

/**
 * @typedef {import("./language.js").Language} Language
 * @typedef {import("./list_view.js").Ways} Ways
 */

// What is told by name below the map: a map without names is nothing for a reader who does not see it.
const MOST_NAMED = 20;

/** The map of what the filters find. It is opened at the first look, and kept. */
export class MapView {
  /**
   * @param {string} address of the map's own script
   * @param {Language} language
   * @param {Ways} ways
   */
  constructor(address, language, ways) {
    this.address = address;
    this.language = language;
    this.ways = ways;
    this.frame = element("div", { class: "map", "aria-label": language.say("map"), role: "application", tabindex: "0" });
    this.note = element("p", { class: "note" });
    this.names = element("ul", { class: "names" });
    this.view = element("div", {}, this.frame, this.note, element("h2", {}, language.say("on_map")), this.names);
    this.type = "events";
    /** @type {any} */
    this.map = null;
  }

  /**
   * @param {HTMLElement} into
   * @param {{rows: any[], isWhole: boolean}} found
   * @param {{type: string, total: number, metro: any, areas: any[]}} about
   */
  async show(into, found, about) {
    this.type = about.type;
    into.replaceChildren(this.view);
    const { openMap } = await import(new URL(this.address, document.baseURI).href);
    this.map ??= openMap(this.frame, {
      areas: about.areas,
      choose: (/** @type {any[]} */ points) => this.#name(points),
      look: (/** @type {any[]} */ points) => this.#name(points),
      zoomIn: this.language.say("zoom_in"),
      zoomOut: this.language.say("zoom_out"),
    });
    const points = found.rows.filter((row) => row.location?.lat !== null && row.location?.lng !== null).map(makePoint);
    this.map.show(points, about.metro.bounds);
    this.frame.dataset.points = String(points.length);
    this.note.textContent = this.language.say("map_why", { shown: points.length, total: about.total });
  }

  /** Another metro has another map. */
  close() {
    this.map?.close();
    this.map = null;
  }

  /** @param {any[]} points */
  #name(points) {
    const named = points.slice(0, MOST_NAMED).map((point) => element("li", {}, makeLink(point.name, this.type, point.id, this.ways)));
    const more = points.length - named.length;
    if (more > 0) named.push(element("li", { class: "note" }, this.language.say("more", { count: more })));
    this.names.replaceChildren(...named);
  }
}

/** @param {any} row */
function makePoint(row) {
  return { lat: row.location.lat, lng: row.location.lng, id: row.id, name: row.name };
}
