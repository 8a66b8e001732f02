import { Browser, DomUtil, Layer, Point } from "leaflet";

// Around what is seen, so that dragging shows no edge at once: a part of the map's size on each side.
const MARGIN = 0.25;
const RADIUS = 5;
const NEAR = 12;

/** All points and outlines on one canvas: an object a point stutters from some thousands on. */
export class PointLayer extends Layer {
  /** @param {{name: string, bounds: {south: number, west: number, north: number, east: number}}[]} areas */
  constructor(areas) {
    super();
    this.areas = areas;
    /** @type {{lat: number, lng: number, id: string, name: string}[]} */
    this.points = [];
    this.canvas = document.createElement("canvas");
    DomUtil.addClass(this.canvas, "points");
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
    this.#drawAreas(context, style);
    this.#drawPoints(context, style, { left: -margin.x, top: -margin.y, right: size.x + margin.x, bottom: size.y + margin.y });
  }

  /**
   * @param {CanvasRenderingContext2D} context
   * @param {CSSStyleDeclaration} style
   */
  #drawAreas(context, style) {
    context.strokeStyle = context.fillStyle = style.outlineColor;
    context.lineWidth = 1;
    context.font = `12px ${style.fontFamily}`;
    for (const { name, bounds } of this.areas) {
      const start = this._map.latLngToContainerPoint([bounds.north, bounds.west]);
      const end = this._map.latLngToContainerPoint([bounds.south, bounds.east]);
      context.strokeRect(start.x, start.y, end.x - start.x, end.y - start.y);
      if (context.measureText(name).width < end.x - start.x - 8) context.fillText(name, start.x + 4, start.y + 14);
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
    for (const point of this.points) {
      const { x, y } = this._map.latLngToContainerPoint(point);
      if (x < box.left || x > box.right || y < box.top || y > box.bottom) continue;
      context.beginPath();
      context.arc(x, y, RADIUS, 0, 2 * Math.PI);
      context.fill();
    }
    context.globalAlpha = 1;
  }

  /**
   * The points that a finger there means, the nearest first.
   * @param {{x: number, y: number}} at
   */
  findNear(at) {
    return this.points
      .map((point) => ({ point, distance: this._map.latLngToContainerPoint(point).distanceTo(at) }))
      .filter(({ distance }) => distance <= NEAR)
      .sort((first, second) => first.distance - second.distance)
      .map(({ point }) => point);
  }

  listVisible() {
    const bounds = this._map?.getBounds();
    return bounds ? this.points.filter((point) => bounds.contains(point)) : [];
  }
}
