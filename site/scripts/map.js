// The explorer's map: outlines of neighborhoods and a canvas of points, without tiles. It is a file of its own, which is
// fetched when a map is first looked at.
import { LatLngBounds, Map as LeafletMap, control } from "leaflet";
import { PointLayer } from "./map/point_layer.js";

/**
 * @typedef {{lat: number, lng: number, id: string, name: string}} Point
 * @typedef {{south: number, west: number, north: number, east: number}} Bounds
 */

/**
 * @param {HTMLElement} container
 * @param {{areas: {name: string, bounds: Bounds}[], choose: (points: Point[]) => void, look: (points: Point[]) => void,
 *   zoomIn: string, zoomOut: string}} options
 */
export function openMap(container, options) {
  const map = new LeafletMap(container, {
    attributionControl: false, zoomControl: false, zoomAnimation: false, fadeAnimation: false, markerZoomAnimation: false,
    minZoom: 8, maxZoom: 17,
  });
  control.zoom({ zoomInTitle: options.zoomIn, zoomOutTitle: options.zoomOut }).addTo(map);
  const layer = new PointLayer(options.areas);
  map.on("click", (/** @type {any} */ event) => {
    const found = layer.findNear(event.containerPoint);
    if (found.length) options.choose(found);
  });
  map.on("moveend", () => options.look(layer.listVisible()));
  return {
    /**
     * @param {Point[]} points
     * @param {Bounds} around what is shown where there are no points
     */
    show(points, around) {
      layer.show(points);
      const box = points.length
        ? new LatLngBounds(points.map((point) => [point.lat, point.lng]))
        : new LatLngBounds([around.south, around.west], [around.north, around.east]);
      map.fitBounds(box, { padding: [24, 24], maxZoom: 15, animate: false });
      if (!map.hasLayer(layer)) layer.addTo(map);
      layer.redraw();
      options.look(layer.listVisible());
    },
    redraw: () => layer.redraw(),
    close: () => map.remove(),
  };
}
