// Before worker.js, for a tree of [static] that needs no key: what has a file is answered from the bucket, in Cloudflare's
// network, and nobody counts it. All else goes on to the servers, by worker.js. docs/cloudflare.md#answer-files-without-a-key
import { nameFile } from "./name_file.js";
import servers from "./worker.js";

const TAKES = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;

export default {
  async fetch(request, env, context) {
    const { pathname, search } = new URL(request.url);
    const isRead = ["GET", "HEAD"].includes(request.method);
    // Under `.outings` the same cache has bodies that worker.js gives only to readers whom a server allows them.
    const isNamed = pathname.endsWith(".json") || !/^\/(?:v1|\.outings)\//.test(pathname);
    const file = nameFile(pathname, search.slice(1)) ?? (isNamed && pathname.replace(/\/$/, "/index.html").slice(1));
    const found = isRead && file && (await find(request, env, context, file));
    if (found) return reply(request, found);
    if (env.SERVERS) return servers.fetch(request, env, context);
    const error = { code: "not_found", message: "No such file; /v1/index.json lists all.", request_id: "static" };
    return Response.json({ error }, { status: 404, headers: { "Access-Control-Allow-Origin": "*" } });
  },
};

// From the cache of this place as long as the file's own `Cache-Control` allows, else from the bucket.
async function find(request, env, context, file) {
  const key = new URL(`/${file}`, request.url).href;
  const kept = await caches.default.match(key);
  if (kept) return kept;
  const object = await env.TREE.get(env.TREE_PREFIX + file);
  if (object === null) return null;
  const { cacheControl, contentType, contentEncoding = "identity" } = object.httpMetadata;
  const headers = {
    "Cache-Control": cacheControl,
    // Nobody on the way packs or unpacks bytes of no type.
    "Content-Type": "application/octet-stream",
    "Outings-Type": contentType,
    "Outings-Coding": contentEncoding,
    "ETag": `W/${object.httpEtag}`,
  };
  const found = new Response(object.body.pipeThrough(new FixedLengthStream(object.size)), { headers });
  context.waitUntil(caches.default.put(key, found.clone()));
  return found;
}

function reply(request, { headers, body }) {
  const coding = headers.get("Outings-Coding");
  const isTaken = coding === "identity" || TAKES.test(readAccepted(request));
  const answer = new Headers({ "Access-Control-Allow-Origin": "*", "Vary": "Accept-Encoding" });
  for (const name of ["Cache-Control", "ETag"]) answer.set(name, headers.get(name));
  answer.set("Content-Type", headers.get("Outings-Type"));
  if (isTaken && coding !== "identity") answer.set("Content-Encoding", coding);
  const isSame = request.headers.get("If-None-Match")?.includes(headers.get("ETag"));
  const options = { status: isSame ? 304 : 200, headers: answer, encodeBody: "manual" };
  if (isSame || request.method === "HEAD") return new Response(null, options);
  return new Response(isTaken ? body : body.pipeThrough(new DecompressionStream(coding)), options);
}

// Cloudflare asks workers for gzip and Brotli, whatever the reader takes.
function readAccepted(request) {
  return request.cf?.clientAcceptEncoding ?? request.headers.get("Accept-Encoding") ?? "";
}
