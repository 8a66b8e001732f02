// The explorer's map: outlines of neighborhoods with their names, and listings as points and counts. It is a file of
// its own, which is fetched when a map is first looked at.
import { control, DomUtil, GeoJSON, GridLayer, LatLngBounds, Map as LeafletMap } from "leaflet";
import { Names } from "./map/names.js";
import { Places } from "./map/places.js";

/**
 * @typedef {{lat: number, lng: number, id: string, name: string}} Point
 * @typedef {{south: number, west: number, north: number, east: number}} Bounds
 * @typedef {import("./map/places.js").Cell} Cell
 * @typedef {{cells: Cell[], degrees: number, points: Point[]}} Content
 * @typedef {{load: () => Promise<{makeBasemap: Function}>, url: string, zoom: number, credit: string}} Basemap
 * @typedef {{points: Point[], count: number, isNearest: boolean, circle: {lat: number, lng: number, radius_m: number}}}
 *   Sight what is seen: points, how many listings its cells stand for at most, whether it can come nearer, and the
 *   circle around it
 */

/**
 * @param {HTMLElement} container
 * @param {{outlines: any, choose: (points: Point[]) => void, look: (sight: Sight) => void, zoomIn: string,
 *   zoomOut: string, basemap: Basemap | null}} options `outlines`: GeoJSON of the neighborhoods, the roomiest first
 */
export function openMap(container, options) {
  const map = new LeafletMap(container, {
    attributionControl: false,
    zoomControl: false,
    zoomAnimation: false,
    fadeAnimation: false,
    markerZoomAnimation: false,
    minZoom: 8,
    zoomSnap: 0.5,
    maxZoom: 17,
  });
  control.zoom({ zoomInTitle: options.zoomIn, zoomOutTitle: options.zoomOut }).addTo(map);
  control.scale({ position: "bottomright" }).addTo(map);
  if (options.basemap) layBasemap(map, options.basemap);
  const outlines = new GeoJSON(options.outlines, { interactive: false, style: { className: "area" } });
  const places = new Places(map, options.choose);
  const names = new Names(map, options.outlines.features);
  const draw = () => names.draw(places.draw());
  map.on("moveend", () => {
    draw();
    options.look({
      points: places.listVisible(),
      count: places.countVisible(),
      isNearest: map.getZoom() === map.getMaxZoom(),
      circle: findCircle(map),
    });
  });
  return {
    /**
     * @param {Content} content
     * @param {Bounds} around what is shown where there is nothing
     */
    show(content, around) {
      places.show(content);
      map.invalidateSize({ animate: false });
      map.fitBounds(findBounds(content, around), {
        paddingTopLeft: [24, 24],
        paddingBottomRight: [24, 60], // where the scale is
        maxZoom: 14,
        animate: false,
      });
      if (!map.hasLayer(outlines)) outlines.addTo(map);
    },
    /** @param {Point[]} points in place of those before */
    showPoints(points) {
      places.showPoints(points);
      draw();
      return places.listVisible();
    },
    /** @param {string[]} ids of the listings to mark */
    mark(ids) {
      places.mark(ids);
      draw();
    },
    /**
     * Moves the map so far that a listing is not under what covers its lower edge.
     * @param {Point} point
     * @param {number} covered pixels
     */
    reveal(point, covered) {
      map.panInside(point, { padding: [40, 40], paddingBottomRight: [40, covered + 40], animate: false });
    },
    close: () => map.remove(),
  };
}

/**
 * Lays the operator's map below all else, in the colours of the page.
 * @param {LeafletMap} map
 * @param {Basemap} basemap
 */
async function layBasemap(map, { load, url, zoom, credit }) {
  Object.assign(globalThis, { L: { GridLayer, DomUtil } });
  const { makeBasemap } = await load();
  const text = document.createElement("span");
  text.textContent = credit;
  control.attribution({ prefix: false, position: "bottomleft" }).addAttribution(text.innerHTML).addTo(map);
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  /** @type {any} */
  let layer = null;
  const draw = () => {
    layer?.remove();
    const isDark = root.dataset.theme ? root.dataset.theme === "dark" : system.matches;
    layer = makeBasemap(url, { zoom, language: root.lang, isDark }).addTo(map);
  };
  draw();
  map.getContainer().classList.add("with-basemap");
  system.addEventListener("change", draw);
  const themes = new MutationObserver(draw);
  themes.observe(root, { attributeFilter: ["data-theme"] });
  map.on("unload", () => {
    system.removeEventListener("change", draw);
    themes.disconnect();
  });
}

/**
 * @param {Content} content
 * @param {Bounds} around
 */
function findBounds({ cells, degrees, points }, around) {
  if (!cells.length && !points.length)
    return new LatLngBounds([around.south, around.west], [around.north, around.east]);
  const box = new LatLngBounds(points.map((point) => [point.lat, point.lng]));
  for (const { south, west } of cells) box.extend([south, west]).extend([south + degrees, west + degrees]);
  return box;
}

/** @param {LeafletMap} map */
function findCircle(map) {
  const middle = map.getCenter();
  return {
    lat: middle.lat,
    lng: middle.lng,
    radius_m: Math.ceil(middle.distanceTo(map.getBounds().getNorthEast())),
  };
}
