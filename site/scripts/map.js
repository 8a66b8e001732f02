// The explorer's map: outlines of neighborhoods and a canvas of squares and points, without tiles. It is a file of its
// own, which is fetched when a map is first looked at.
import { control, LatLngBounds, Map as LeafletMap } from "leaflet";
import { PointLayer } from "./map/point_layer.js";

/**
 * @typedef {{lat: number, lng: number, id: string, name: string}} Point
 * @typedef {{south: number, west: number, north: number, east: number}} Bounds
 * @typedef {{cells: import("./map/cell_grid.js").Cell[], degrees: number, points: Point[]}} Content
 * @typedef {{points: Point[], count: number, isNearest: boolean, circle: {lat: number, lng: number, radius_m: number}}}
 *   Sight what is seen: points, how many listings its squares stand for at most, whether it can come nearer, and the
 *   circle around it
 */

// How many levels a choice of a square goes nearer.
const NEARER = 2;

/**
 * @param {HTMLElement} container
 * @param {{areas: {name: string, bounds: Bounds}[], choose: (points: Point[]) => void, look: (sight: Sight) => void,
 *   zoomIn: string, zoomOut: string}} options
 */
export function openMap(container, options) {
  const map = new LeafletMap(container, {
    attributionControl: false,
    zoomControl: false,
    zoomAnimation: false,
    fadeAnimation: false,
    markerZoomAnimation: false,
    minZoom: 8,
    maxZoom: 17,
  });
  control.zoom({ zoomInTitle: options.zoomIn, zoomOutTitle: options.zoomOut }).addTo(map);
  control.scale({ position: "bottomright" }).addTo(map);
  const layer = new PointLayer(options.areas);
  let hasCells = false;
  const look = () =>
    options.look({
      points: layer.listVisible(),
      count: layer.countVisible(),
      isNearest: map.getZoom() === map.getMaxZoom(),
      circle: findCircle(map),
    });
  map.on("click", (/** @type {any} */ event) => {
    const found = layer.findNear(event.containerPoint);
    if (found.length) options.choose(found);
    else if (hasCells) map.setView(event.latlng, map.getZoom() + NEARER, { animate: false });
  });
  map.on("moveend", look);
  return {
    /**
     * @param {Content} content
     * @param {Bounds} around what is shown where there is nothing
     */
    show(content, around) {
      hasCells = content.cells.length > 0;
      layer.showCells(content.cells, content.degrees);
      layer.showPoints(content.points);
      map.fitBounds(findBounds(content, around), { padding: [24, 24], maxZoom: 15, animate: false });
      if (!map.hasLayer(layer)) layer.addTo(map);
      layer.redraw();
      look();
    },
    /** @param {Point[]} points in place of those before */
    showPoints(points) {
      layer.showPoints(points);
      layer.redraw();
      return layer.listVisible();
    },
    close: () => map.remove(),
  };
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
  return { lat: middle.lat, lng: middle.lng, radius_m: Math.ceil(middle.distanceTo(map.getBounds().getNorthEast())) };
}
