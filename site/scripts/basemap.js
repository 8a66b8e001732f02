// Water, parks and streets below the explorer's map, from the operator's PMTiles file. It is a file of its own, which
// is fetched only where there is one. Its library takes Leaflet from `L`, which map.js sets.
import { leafletLayer } from "protomaps-leaflet";

/**
 * @param {string} url of the file, which is read by ranges
 * @param {{zoom: number, language: string, isDark: boolean}} options `zoom`: the nearest level that the file has
 */
export function makeBasemap(url, { zoom, language, isDark }) {
  /** @type {any} */
  const layer = leafletLayer({
    url,
    maxDataZoom: zoom,
    flavor: isDark ? "dark" : "light",
    lang: language,
    attribution: "",
  });
  // Names of neighborhoods are the map's own, and those of places would stand under points.
  layer.labelRules = layer.labelRules.filter((/** @type {any} */ rule) => rule.dataLayer === "roads");
  layer.clearLayout();
  return layer;
}
