import { Browser, DomUtil, Layer, Point } from "leaflet";
import { CellGrid } from "./cell_grid.js";
import { placeLabels } from "./labels.js";
import { projectLat, projectLng } from "./projection.js";

/** @typedef {import("./cell_grid.js").Box} Box */

// Around what is seen, so that dragging shows no edge at once: a part of the map's size on each side.
const MARGIN = 0.25;
const RADIUS = 5;
const NEAR = 12;
// So many points in one pixel are as dark as more would be.
const MOST_ON_PIXEL = 3;
// Of the ground's colour, around the letters of a name.
const HALO = 3;

/** Squares, points and outlines on one canvas, which a drag moves as it is: an object a point stutters from some
 * thousands on. */
export class PointLayer extends Layer {
  grid = new CellGrid([], 0);
  /** @type {{lat: number, lng: number, id: string, name: string}[]} */
  points = [];
  xs = new Float64Array();
  ys = new Float64Array();

  /** @param {{name: string, bounds: {south: number, west: number, north: number, east: number}}[]} areas */
  constructor(areas) {
    super();
    this.areas = areas;
    this.canvas = document.createElement("canvas");
    DomUtil.addClass(this.canvas, "points");
  }

  /**
   * @param {import("./cell_grid.js").Cell[]} cells
   * @param {number} degrees
   */
  showCells(cells, degrees) {
    this.grid = new CellGrid(cells, degrees);
  }

  /** @param {{lat: number, lng: number, id: string, name: string}[]} points */
  showPoints(points) {
    this.points = points;
    // Where they are is worked out once, not at each redraw.
    this.xs = Float64Array.from(points, (point) => projectLng(point.lng));
    this.ys = Float64Array.from(points, (point) => projectLat(point.lat));
  }

  /** Where the container's corner is, and how large the world. */
  get #view() {
    const min = this._map.getPixelBounds().getTopLeft();
    return { scale: 2 ** this._map.getZoom(), x: min.x, y: min.y };
  }

  /** @returns {Box} */
  get #seen() {
    const { x: right, y: bottom } = this._map.getSize();
    return { left: 0, top: 0, right, bottom };
  }

  /** Calls for each point that is in a box of the container, with its place there.
   * @param {Box} box
   * @param {(at: number, x: number, y: number) => void} call
   */
  #visit(box, call) {
    const view = this.#view;
    for (let at = 0; at < this.points.length; at++) {
      const x = this.xs[at] * view.scale - view.x;
      const y = this.ys[at] * view.scale - view.y;
      if (x >= box.left && x <= box.right && y >= box.top && y <= box.bottom) call(at, x, y);
    }
  }

  /** @param {any} map */
  onAdd(map) {
    map.getPanes().overlayPane.append(this.canvas);
    map.on("moveend zoomend resize viewreset", this.redraw, this);
    return this;
  }

  /** @param {any} map */
  onRemove(map) {
    map.off("moveend zoomend resize viewreset", this.redraw, this);
    this.canvas.remove();
    return this;
  }

  redraw() {
    const map = this._map;
    const context = this.canvas.getContext("2d");
    if (!map || !context) return;
    const size = map.getSize();
    const margin = size.multiplyBy(MARGIN).floor();
    const [width, height] = [size.x + 2 * margin.x, size.y + 2 * margin.y];
    const ratio = Browser.retina ? 2 : 1;
    this.canvas.width = width * ratio;
    this.canvas.height = height * ratio;
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    DomUtil.setPosition(this.canvas, map.containerPointToLayerPoint(new Point(-margin.x, -margin.y)));
    context.scale(ratio, ratio);
    context.translate(margin.x, margin.y);
    const style = getComputedStyle(this.canvas);
    const box = { left: -margin.x, top: -margin.y, right: size.x + margin.x, bottom: size.y + margin.y };
    context.font = `12px ${style.fontFamily}`;
    const labels = this.#placeNames(context, box);
    context.fillStyle = style.color;
    this.grid.draw(context, this.#view, box, { hasPoints: this.points.length > 0 });
    this.#drawAreas(context, style, labels);
    this.#drawPoints(context, style, box);
    this.#drawNames(context, style, labels);
  }

  /** @returns {Box[]} of each neighborhood, in the container */
  get #outlines() {
    return this.areas.map(({ bounds }) => {
      const start = this._map.latLngToContainerPoint([bounds.north, bounds.west]);
      const end = this._map.latLngToContainerPoint([bounds.south, bounds.east]);
      return { left: start.x, top: start.y, right: end.x, bottom: end.y };
    });
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {Box} box
   */
  #placeNames(context, box) {
    const outlines = this.#outlines;
    const named = this.areas.map(({ name }, at) => ({
      name,
      width: context.measureText(name).width,
      box: outlines[at],
    }));
    return placeLabels(named, box, this.#seen);
  }

  /**
   * Only with a name does an outline say anything: those of a whole city cover one another.
   * @param {CanvasRenderingContext2D} context
   * @param {CSSStyleDeclaration} style
   * @param {import("./labels.js").Label[]} labels
   */
  #drawAreas(context, style, labels) {
    context.strokeStyle = style.outlineColor;
    context.lineWidth = 1;
    for (const {
      box: { left, top, right, bottom },
    } of labels)
      context.strokeRect(left, top, right - left, bottom - top);
  }

  /**
   * Names are above all else, and each has the ground's colour round its letters: without tiles they alone say where
   * one is.
   * @param {CanvasRenderingContext2D} context
   * @param {CSSStyleDeclaration} style
   * @param {import("./labels.js").Label[]} labels
   */
  #drawNames(context, style, labels) {
    context.textBaseline = "middle";
    context.lineJoin = "round";
    context.lineWidth = HALO;
    context.strokeStyle = style.backgroundColor;
    context.fillStyle = style.borderTopColor;
    for (const { name, x, y } of labels) {
      context.strokeText(name, x, y);
      context.fillText(name, x, y);
    }
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {CSSStyleDeclaration} style
   * @param {{left: number, top: number, right: number, bottom: number}} box
   */
  #drawPoints(context, style, box) {
    context.fillStyle = style.color;
    context.globalAlpha = 0.7;
    const width = Math.ceil(box.right - box.left) + 1;
    const drawn = new Uint8Array(width * (Math.ceil(box.bottom - box.top) + 1));
    this.#visit(box, (_, x, y) => {
      const pixel = Math.floor(y - box.top) * width + Math.floor(x - box.left);
      if (drawn[pixel] >= MOST_ON_PIXEL) return;
      drawn[pixel]++;
      context.beginPath();
      context.arc(x, y, RADIUS, 0, 2 * Math.PI);
      context.fill();
    });
    context.globalAlpha = 1;
  }

  /**
   * The points that a finger there means, the nearest first.
   * @param {{x: number, y: number}} at
   */
  findNear(at) {
    /** @type {[number, number][]} */
    const found = [];
    const box = { left: at.x - NEAR, top: at.y - NEAR, right: at.x + NEAR, bottom: at.y + NEAR };
    this.#visit(box, (number, x, y) => found.push([Math.hypot(x - at.x, y - at.y), number]));
    return found.sort(([first], [second]) => first - second).map(([, number]) => this.points[number]);
  }

  listVisible() {
    if (!this._map) return [];
    /** @type {typeof this.points} */
    const visible = [];
    this.#visit(this.#seen, (at) => visible.push(this.points[at]));
    return visible;
  }

  /** How many listings the cells that are seen stand for. */
  countVisible() {
    return this._map ? this.grid.count(this.#view, this.#seen) : 0;
  }
}
