// Write the types of /openapi.json's schemas, without texts. Reads the document from standard input.
import { text } from "node:stream/consumers";
import openapiTS, { astToString } from "openapi-typescript";

const isText = (name, value) =>
  ["title", "description", "format"].includes(name) ? typeof value === "string" : name === "examples";
const { openapi, info, components } = JSON.parse(await text(process.stdin), (name, value) =>
  isText(name, value) ? undefined : value,
);
const document = { openapi, info, paths: {}, components: { schemas: components.schemas } };
const written = astToString(await openapiTS(document, { silent: true }));
process.stdout.write(`// Written by tools/check_scripts from /openapi.json. Do not change it by hand.\n${written}`);
