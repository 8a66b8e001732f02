/**
 * A parameter of a route, as `/openapi.json` says it.
 * @typedef {{ name: string, in: string, description: string, schema: any, required?: boolean, deprecated?: boolean,
 *   example?: any, "x-stability"?: string }} Parameter
 * @typedef {{ parameters: Parameter[], needsKey: boolean }} Operation
 */

/** @type {Promise<any> | null} */
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
    parameters: operation.parameters.map((/** @type {any} */ node) => resolveParameter(document, node)),
    needsKey: operation.security?.length !== 0,
  };
}

async function fetchContract() {
  const answer = await fetch(new URL("../openapi.json", location.href), { credentials: "omit" });
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

/**
 * @param {any} document
 * @param {any} node
 * @returns {Parameter}
 */
function resolveParameter(document, node) {
  const found = resolve(document, node);
  const { items } = found.schema;
  return items ? { ...found, schema: { ...found.schema, items: resolve(document, items) } } : found;
}

/**
 * @param {any} document
 * @param {any} node
 */
function resolve(document, node) {
  if (!node.$ref) return node;
  return node.$ref
    .slice(2)
    .split("/")
    .reduce((/** @type {any} */ inner, /** @type {string} */ name) => inner[name], document);
}
