import { DomUtil, Point } from "leaflet";

/** @typedef {import("./places.js").Box} Box */

// Where a name may stand, in heights of its own from the middle of its neighborhood: the first free place is taken.
const PLACES = [0, -0.5, 0.5, -1, 1];

/** The names of neighborhoods, beside the points and one another: what has no room is left out until the map comes
 * nearer. Leaflet places no names by itself. */
export class Names {
  /**
   * @param {import("leaflet").Map} map
   * @param {{properties: {name: string, at: [number, number]}}[]} areas the roomiest first
   */
  constructor(map, areas) {
    this.map = map;
    const pane = map.createPane("names");
    this.names = areas.map(({ properties: { name, at } }) => {
      const label = document.createElement("span");
      label.textContent = name;
      pane.append(label);
      return { label, at };
    });
    // Together, before anything is hidden.
    this.sizes = this.names.map(({ label }) => new Point(label.offsetWidth, label.offsetHeight));
  }

  /** @param {Box[]} taken where points stand, in the map's pixels */
  draw(taken) {
    const { x: left, y: top } = this.map.containerPointToLayerPoint([0, 0]);
    const { x: width, y: height } = this.map.getSize();
    const frame = { left, top, right: left + width, bottom: top + height };
    const full = [...taken];
    this.names.forEach(({ label, at }, number) => {
      const box = findRoom(this.map.latLngToLayerPoint(at), this.sizes[number], frame, full);
      label.hidden = !box;
      if (!box) return;
      full.push(box);
      DomUtil.setPosition(label, new Point(box.left, box.top));
    });
  }
}

/**
 * @param {Point} middle
 * @param {Point} size
 * @param {Box} frame
 * @param {Box[]} full
 * @returns {Box | undefined}
 */
function findRoom(middle, size, frame, full) {
  const left = Math.round(middle.x - size.x / 2);
  for (const place of PLACES) {
    const top = Math.round(middle.y + (place - 0.5) * size.y);
    const box = { left, top, right: left + size.x, bottom: top + size.y };
    if (isWithin(box, frame) && !full.some((other) => isOver(box, other))) return box;
  }
}

/**
 * @param {Box} inner
 * @param {Box} outer
 */
function isWithin(inner, outer) {
  return (
    inner.left >= outer.left && inner.right <= outer.right && inner.top >= outer.top && inner.bottom <= outer.bottom
  );
}

/**
 * @param {Box} one
 * @param {Box} other
 */
function isOver(one, other) {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}
