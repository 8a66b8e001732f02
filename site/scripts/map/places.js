import { DivIcon, LayerGroup, Marker } from "leaflet";
import Supercluster from "supercluster";

/**
 * @typedef {{lat: number, lng: number, id: string, name: string}} Listing
 * @typedef {{south: number, west: number, count: number}} Cell
 * @typedef {{left: number, top: number, right: number, bottom: number}} Box
 */

// Pixels within which listings are one badge, and the diameters of a point and of the largest badge.
const NEAR = 40;
const POINT = 24;
const LARGEST = 52;
// How many levels a choice of a cell goes nearer.
const NEARER = 2;
// Around what is seen, so that dragging shows no edge at once: a part of the map's size on each side.
const MARGIN = 0.25;

/** Listings as points; those in one place, or too near to be told apart, as a badge with their count. */
export class Places {
  /** @type {Listing[]} */
  points = [];
  /** @type {Cell[]} */
  cells = [];
  degrees = 0;
  /** @type {Set<string>} */
  marked = new Set();

  /**
   * @param {import("leaflet").Map} map
   * @param {(listings: Listing[]) => void} choose
   */
  constructor(map, choose) {
    this.map = map;
    this.choose = choose;
    this.layer = new LayerGroup().addTo(map);
    this.index = this.#makeIndex([]);
  }

  /** @param {{cells: Cell[], degrees: number, points: Listing[]}} content */
  show({ cells, degrees, points }) {
    this.cells = cells;
    this.degrees = degrees;
    this.showPoints(points);
  }

  /** @param {Listing[]} points without any, the cells are shown */
  showPoints(points) {
    this.points = points;
    const half = this.degrees / 2;
    this.index = this.#makeIndex(
      points.length
        ? points.map((listing) => ({ lat: listing.lat, lng: listing.lng, count: 1, listing }))
        : this.cells.map(({ south, west, count }) => ({ lat: south + half, lng: west + half, count })),
    );
  }

  /** @param {string[]} ids */
  mark(ids) {
    this.marked = new Set(ids);
  }

  /** @param {{lat: number, lng: number, count: number, listing?: Listing}[]} things */
  #makeIndex(things) {
    /** @type {Supercluster<{count: number, listing?: Listing}, {count: number}>} */
    const index = new Supercluster({
      radius: NEAR,
      extent: 256,
      maxZoom: this.map.getMaxZoom(),
      map: ({ count }) => ({ count }),
      reduce: (sum, { count }) => {
        sum.count += count;
      },
    });
    return index.load(
      things.map(({ lat, lng, ...properties }) => ({
        type: "Feature",
        geometry: { type: "Point", coordinates: [lng, lat] },
        properties,
      })),
    );
  }

  /**
   * Draws what is seen, and what a drag brings into sight.
   * @returns {Box[]} where something stands
   */
  draw() {
    const bounds = this.map.getBounds().pad(MARGIN);
    const features = this.index.getClusters(
      [bounds.getWest(), bounds.getSouth(), bounds.getEast(), bounds.getNorth()],
      this.map.getZoom(),
    );
    const most = features.reduce((found, { properties }) => Math.max(found, properties.count), 2);
    this.layer.clearLayers();
    return features.map((feature) => this.#draw(feature, most));
  }

  /**
   * @param {any} feature
   * @param {number} most of a badge
   * @returns {Box}
   */
  #draw(feature, most) {
    const { count } = feature.properties;
    const listings = this.#list(feature);
    const size = count === 1 ? POINT : POINT + (LARGEST - POINT) * Math.sqrt(count / most);
    const isMarked = listings.some(({ id }) => this.marked.has(id));
    const [lng, lat] = feature.geometry.coordinates;
    const icon = new DivIcon({
      className: `place${count === 1 ? "" : " many"}${isMarked ? " marked" : ""}`,
      iconSize: [size, size],
      html: count === 1 ? "" : count.toLocaleString(document.documentElement.lang),
    });
    // The list beside the map has the same listings for a keyboard.
    new Marker([lat, lng], { icon, keyboard: false, title: listings[0]?.name, zIndexOffset: isMarked ? 1000 : 0 })
      .on("click", () => this.#open(feature, listings))
      .addTo(this.layer);
    const { x, y } = this.map.latLngToLayerPoint([lat, lng]);
    const half = size / 2;
    return { left: x - half, top: y - half, right: x + half, bottom: y + half };
  }

  /**
   * The listings that a point or badge stands for; none for cells.
   * @param {any} feature
   * @returns {Listing[]}
   */
  #list({ properties }) {
    const things = properties.cluster ? this.index.getLeaves(properties.cluster_id, Infinity) : [{ properties }];
    return things.flatMap((thing) => thing.properties.listing ?? []);
  }

  /**
   * Comes nearer where that tells listings apart, else chooses them.
   * @param {any} feature
   * @param {Listing[]} listings
   */
  #open({ properties, geometry }, listings) {
    const nearer = properties.cluster
      ? this.index.getClusterExpansionZoom(properties.cluster_id)
      : this.map.getZoom() + NEARER;
    const [lng, lat] = geometry.coordinates;
    if (listings.length && (!properties.cluster || nearer > this.map.getMaxZoom())) this.choose(listings);
    else this.map.setView([lat, lng], nearer, { animate: false });
  }

  listVisible() {
    const bounds = this.map.getBounds();
    return this.points.filter((point) => bounds.contains(point));
  }

  /** How many listings the cells that are seen stand for. */
  countVisible() {
    const bounds = this.map.getBounds();
    const isSeen = (/** @type {Cell} */ { south, west }) =>
      bounds.overlaps([
        [south, west],
        [south + this.degrees, west + this.degrees],
      ]);
    return this.cells.filter(isSeen).reduce((sum, { count }) => sum + count, 0);
  }
}
