import { findSite } from "../parts/origin.js";

/**
 * A parameter of a route, as `/openapi.json` says it.
 * @typedef {{ type?: string | string[], format?: string, pattern?: string, enum?: unknown[], items?: Schema,
 *   minimum?: number, maximum?: number, minLength?: number, maxLength?: number, maxItems?: number,
 *   "x-default"?: unknown }} Schema
 * @typedef {{ name: string, in: string, description: string, schema: Schema, required?: boolean, deprecated?: boolean,
 *   example?: unknown, "x-stability"?: string }} Parameter
 * @typedef {{ parameters: Parameter[], needsKey: boolean }} Operation
 * @typedef {{ paths: Record<string, { get: { parameters: object[], security?: object[] } }> }} Contract
 */

/** @type {Promise<Contract> | null} */
let contract = null;

/**
 * What a route takes. The document is fetched when the first form is opened.
 * @param {string} path
 * @returns {Promise<Operation>}
 */
export async function readOperation(path) {
  contract ??= fetchContract();
  const document = await contract.catch((error) => {
    contract = null; // the next form tries again
    throw error;
  });
  const operation = document.paths[path].get;
  return {
    parameters: operation.parameters.map((node) => resolveParameter(document, node)),
    needsKey: operation.security?.length !== 0,
  };
}

async function fetchContract() {
  const answer = await fetch(`${findSite()}/openapi.json`, { credentials: "omit" });
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

/**
 * @param {Contract} document
 * @param {object} node
 * @returns {Parameter}
 */
function resolveParameter(document, node) {
  const found = /** @type {Parameter} */ (resolve(document, node));
  const { items } = found.schema;
  return items ? { ...found, schema: { ...found.schema, items: resolve(document, items) } } : found;
}

/**
 * @param {object} document
 * @param {object} node
 * @returns {object}
 */
function resolve(document, node) {
  if (!("$ref" in node)) return node;
  return String(node.$ref)
    .slice(2)
    .split("/")
    .reduce((inner, name) => Reflect.get(inner, name), document);
}
