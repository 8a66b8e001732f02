const EARTH_RADIUS_M = 6_371_008.8;

/**
 * The rows in a circle.
 * @param {number[]} rows
 * @param {import("./table.js").Table} listings
 * @param {URLSearchParams} sent its middle, `lat` and `lng`, and `radius_m`
 */
export function chooseNear(rows, listings, sent) {
  const [lats, lngs] = [listings.numbers("lat"), listings.numbers("lng")];
  const here = findPoint(Number(sent.get("lat")), Number(sent.get("lng")));
  const line = 2 * Math.sin(Number(sent.get("radius_m")) / EARTH_RADIUS_M / 2);
  return rows.filter((row) => Math.hypot(...findPoint(lats[row], lngs[row]).map((each, at) => each - here[at])) <= line);
}

/**
 * On the unit sphere; NaN without coordinates.
 * @param {number} lat
 * @param {number} lng
 */
function findPoint(lat, lng) {
  const [north, east] = [(lat * Math.PI) / 180, (lng * Math.PI) / 180];
  return [Math.cos(north) * Math.cos(east), Math.cos(north) * Math.sin(east), Math.sin(north)];
}
