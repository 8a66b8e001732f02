import { decompress } from "fzstd";
import { parquetMetadata, parquetRead } from "hyparquet";

/**
 * @typedef {{parquet: string, sets: Record<string, number[][]>}} StoredTable
 * @typedef {Float64Array | string[]} Column
 */

const compressors = {
  ZSTD: (/** @type {Uint8Array} */ input, /** @type {number} */ length) => decompress(input, new Uint8Array(length)),
};

/**
 * A Parquet file as it stands in a script: `file:` lets a page load scripts, and read nothing.
 * @param {string} text base64
 */
export function openParquet(text) {
  const signs = atob(text);
  const bytes = new Uint8Array(signs.length);
  for (let at = 0; at < signs.length; at++) bytes[at] = signs.charCodeAt(at);
  const file = bytes.buffer;
  const metadata = parquetMetadata(file);
  const size = Number(metadata.num_rows);
  return {
    size,
    names: metadata.schema.slice(1).map((each) => each.name),
    /**
     * @param {string} name of a column
     * @param {number} first
     * @param {number} end
     * @returns {Promise<any[]>}
     */
    async read(name, first = 0, end = size) {
      const values = new Array(end - first);
      await parquetRead({
        file, metadata, compressors, columns: [name], rowStart: first, rowEnd: end,
        onChunk: ({ columnData, rowStart }) => {
          for (let at = 0; at < columnData.length; at++) values[rowStart - first + at] = columnData[at];
        },
      });
      return values;
    },
  };
}

/**
 * All columns of a table. A number that is not stated is NaN, which no comparison holds of.
 * @param {StoredTable} stored
 */
export async function readTable(stored) {
  const parquet = openParquet(stored.parquet);
  /** @type {Record<string, Column>} */
  const columns = {};
  for (const name of parquet.names) columns[name] = makeColumn(await parquet.read(name));
  return new Table(columns, stored.sets, parquet.size);
}

/** @param {any[]} values */
function makeColumn(values) {
  for (let at = 0; at < values.length; at++) {
    if (typeof values[at] === "string") return values;
    if (values[at] !== null && values[at] !== undefined) break;
  }
  return Float64Array.from(values, (value) => (value === null || value === undefined ? NaN : Number(value)));
}

/** Columns of one length. A column of several words has the number of their set, and `sets` says which words are in it. */
export class Table {
  /**
   * @param {Record<string, Column>} columns
   * @param {Record<string, number[][]>} sets
   * @param {number} size
   */
  constructor(columns, sets, size) {
    this.columns = columns;
    this.sets = sets;
    this.size = size;
  }

  /**
   * @param {string} name
   * @returns {Float64Array}
   */
  numbers(name) {
    return /** @type {Float64Array} */ (this.columns[name]);
  }
}
