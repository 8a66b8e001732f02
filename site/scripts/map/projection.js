// Web Mercator at zoom 0, as Leaflet has it: the world is a square of so many pixels.
const WORLD = 256;

/** @param {number} lng */
export function projectLng(lng) {
  return ((lng + 180) / 360) * WORLD;
}

/** @param {number} lat */
export function projectLat(lat) {
  const sine = Math.sin((lat * Math.PI) / 180);
  return (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * WORLD;
}
