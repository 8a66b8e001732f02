/**
 * @typedef {import("./cell_grid.js").Box} Box
 * @typedef {{name: string, width: number, box: Box}} Named
 *   a neighborhood: how wide its name is as text, and its outline
 * @typedef {{name: string, x: number, y: number, box: Box}} Label
 *   where the middle of a text begins: its left, and half its height
 */

const HEIGHT = 16;
const GAP = 4;

/**
 * Names that fit beside one another: the widest outlines are named first, and a name that would cover another is left
 * out until the map comes nearer, as is one that the map's edge would cut. A name stands in its outline where that is
 * wide enough, else above it.
 * @param {Named[]} areas
 * @param {Box} drawn also what a drag brings into sight
 * @param {Box} seen
 * @returns {Label[]}
 */
export function placeLabels(areas, drawn, seen) {
  /** @type {Box[]} */
  const taken = [];
  const labels = [];
  for (const { name, width, box } of [...areas].sort(
    (one, other) => other.box.right - other.box.left - (one.box.right - one.box.left),
  )) {
    const isInside = width + 2 * GAP < box.right - box.left && HEIGHT + GAP < box.bottom - box.top;
    const left = isInside ? box.left + GAP : (box.left + box.right - width) / 2;
    const top = isInside ? box.top + GAP : box.top - HEIGHT;
    const text = { left, top, right: left + width, bottom: top + HEIGHT };
    const isCut = !isWithin(text, drawn) || (isOver(text, seen) && !isWithin(text, seen));
    if (isCut || taken.some((other) => isOver(text, other))) continue;
    taken.push(text);
    labels.push({ name, x: left, y: top + HEIGHT / 2, box });
  }
  return labels;
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
  return (
    one.left < other.right + GAP && other.left < one.right + GAP && one.top < other.bottom && other.top < one.bottom
  );
}
