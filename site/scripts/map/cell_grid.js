import { projectLat, projectLng } from "./projection.js";

/**
 * @typedef {{south: number, west: number, count: number}} Cell
 * @typedef {{left: number, top: number, right: number, bottom: number}} Box
 * @typedef {{scale: number, x: number, y: number}} View where the container's corner is, and how large the world
 */

// Shades from few to many. By the square root: neither does one full cell leave all others pale, nor are most alike.
const LEVELS = 6;
const LIGHTEST = 0.14;
const DARKEST = 0.86;
// Points have to stand out.
const BENEATH_POINTS = 0.3;

/** How many listings lie where, as squares: some thousands of them stand for any number of listings. */
export class CellGrid {
  /**
   * @param {Cell[]} cells
   * @param {number} degrees what a cell measures
   */
  constructor(cells, degrees) {
    this.counts = cells.map((cell) => cell.count);
    this.most = this.counts.reduce((most, count) => Math.max(most, count), 0);
    // Where they are is worked out once, not at each redraw.
    this.lefts = Float64Array.from(cells, (cell) => projectLng(cell.west));
    this.rights = Float64Array.from(cells, (cell) => projectLng(cell.west + degrees));
    this.tops = Float64Array.from(cells, (cell) => projectLat(cell.south + degrees));
    this.bottoms = Float64Array.from(cells, (cell) => projectLat(cell.south));
  }

  /** Calls for each cell of which a box of the container has a part, with its edges there.
   * @param {View} view
   * @param {Box} box
   * @param {(at: number, edges: Box) => void} call
   */
  #visit(view, box, call) {
    for (let at = 0; at < this.counts.length; at++) {
      const left = this.lefts[at] * view.scale - view.x;
      const right = this.rights[at] * view.scale - view.x;
      const top = this.tops[at] * view.scale - view.y;
      const bottom = this.bottoms[at] * view.scale - view.y;
      if (right >= box.left && left <= box.right && bottom >= box.top && top <= box.bottom)
        call(at, { left, top, right, bottom });
    }
  }

  /** Listings in cells of which the box has a part: at least as many as it has.
   * @param {View} view
   * @param {Box} box
   */
  count(view, box) {
    let count = 0;
    this.#visit(view, box, (at) => (count += this.counts[at]));
    return count;
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {View} view
   * @param {Box} box
   * @param {{hasPoints: boolean}} above
   */
  draw(context, view, box, { hasPoints }) {
    const strength = hasPoints ? BENEATH_POINTS : 1;
    this.#visit(view, box, (at, { left, top, right, bottom }) => {
      const level = Math.min(Math.floor(LEVELS * Math.sqrt(this.counts[at] / this.most)), LEVELS - 1);
      context.globalAlpha = strength * (LIGHTEST + ((DARKEST - LIGHTEST) * level) / (LEVELS - 1));
      const [x, y] = [Math.round(left), Math.round(top)];
      // At least a pixel, and no gap between neighbours.
      context.fillRect(x, y, Math.max(Math.round(right) - x, 1), Math.max(Math.round(bottom) - y, 1));
    });
    context.globalAlpha = 1;
  }
}
