// Stands before the servers in Cloudflare's network. What has a file of [static] is answered from the bucket TREE, without
// a key, and nobody counts it. All else goes on to the servers as it came. docs/cloudflare.md
import { nameFile } from "./name_file.js";

const TAKES_GZIP = /\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i;
// Nobody on the way packs or unpacks bytes, or keeps them.
const UNTOUCHED = { cache: "no-store", encodeResponseBody: "manual", redirect: "manual" };
// Cloudflare's statuses, or a proxy's, if no server was reached.
const UNREACHABLE = [502, 504, 520, 521, 522, 523, 524, 525, 526, 530];
// These need no key, and are for operators.
const PROBES = ["/healthz", "/readyz", "/metrics"];
const REFUSAL = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "Retry-After, X-Request-Id, X-Trace-Id, Date, Vary",
  "Cache-Control": "no-store",
  "Vary": "X-API-Key, Authorization, Accept-Encoding",
  "X-Content-Type-Options": "nosniff",
};

export default {
  async fetch(request, env, context) {
    const { pathname, search } = new URL(request.url);
    if (PROBES.includes(pathname)) return refuse(404, "not_found", "There is no such route.");
    const found = env.TREE && (await find(request, env, context, pathname, search));
    if (found) return send(request, found);
    const servers = (env.SERVERS ?? "").split(" ").filter((server) => server);
    if (servers.length === 0) return refuse(404, "not_found", "No such file; /v1/index.json lists all.");
    // A dead server is replaced within a few seconds.
    const wait = { "Retry-After": "5" };
    return (await askInTurn(request, servers)) ?? refuse(503, "unavailable", "Not available at the moment; try again in 5 s.", wait);
  },
};

// The file that answers a request: from the cache of this place as long as its own `Cache-Control` allows, else from the
// bucket. Null if there is none.
async function find(request, env, context, pathname, search) {
  const isNamed = pathname.endsWith(".json") || !pathname.startsWith("/v1/");
  const file = nameFile(pathname, search.slice(1)) ?? (isNamed && pathname.replace(/\/$/, "/index.html").slice(1));
  if (!file || !["GET", "HEAD"].includes(request.method)) return null;
  const key = new URL(`/${file}`, request.url).href;
  const kept = await caches.default.match(key);
  if (kept) return kept;
  const object = await env.TREE.get(env.TREE_PREFIX + file);
  if (object === null) return null;
  const { cacheControl, contentType, contentEncoding = "identity" } = object.httpMetadata;
  const headers = {
    "Cache-Control": cacheControl,
    // The cache leaves bytes of no type as they are.
    "Content-Type": "application/octet-stream",
    "X-Type": contentType,
    "X-Coding": contentEncoding,
    "ETag": `W/${object.httpEtag}`,
  };
  const found = new Response(object.body.pipeThrough(new FixedLengthStream(object.size)), { headers });
  context.waitUntil(caches.default.put(key, found.clone()));
  return found;
}

function send(request, { headers, body }) {
  const coding = headers.get("X-Coding");
  const isTaken = coding === "identity" || TAKES_GZIP.test(readAccepted(request));
  const answer = new Headers({ "Access-Control-Allow-Origin": "*", "Vary": "Accept-Encoding" });
  for (const name of ["Cache-Control", "ETag"]) answer.set(name, headers.get(name));
  answer.set("Content-Type", headers.get("X-Type"));
  if (isTaken && coding !== "identity") answer.set("Content-Encoding", coding);
  const isSame = request.headers.get("If-None-Match")?.includes(headers.get("ETag"));
  const options = { status: isSame ? 304 : 200, headers: answer, encodeBody: "manual" };
  if (isSame || request.method === "HEAD") return new Response(null, options);
  return new Response(isTaken ? body : body.pipeThrough(new DecompressionStream(coding)), options);
}

// The first answer of a server. A request of which no answer has begun goes to another server, and may count twice.
// The first server is asked once more at the end: it may have closed a connection as the request was on its way.
async function askInTurn(request, servers) {
  const first = Math.floor(Math.random() * servers.length);
  const turns = [...servers.slice(first), ...servers.slice(0, first), servers[first]];
  const { pathname, search } = new URL(request.url);
  const headers = new Headers(request.headers);
  // Cloudflare says whose request it is. What the reader says of that may be made up.
  headers.set("X-Forwarded-For", request.headers.get("CF-Connecting-IP") ?? "");
  headers.set("Accept-Encoding", readAccepted(request));
  for (const server of turns) {
    // Not `new URL(pathname, server)`: a path such as `//a.example/` would name another host, and tell it the key.
    const address = new URL(server).origin + pathname + search;
    const answer = await fetch(address, { method: request.method, headers, ...UNTOUCHED }).catch(() => null);
    if (answer && !UNREACHABLE.includes(answer.status)) {
      return new Response(answer.body, { status: answer.status, headers: answer.headers, encodeBody: "manual" });
    }
  }
  return null;
}

// Cloudflare asks workers for gzip and Brotli, whatever the reader takes.
function readAccepted(request) {
  return request.cf?.clientAcceptEncoding ?? request.headers.get("Accept-Encoding") ?? "";
}

// In the form of the API's own errors, with their headers.
function refuse(status, code, message, more = {}) {
  const request_id = crypto.randomUUID().replaceAll("-", "");
  const headers = { ...REFUSAL, "X-Request-Id": request_id, "X-Trace-Id": request_id, ...more };
  return Response.json({ error: { code, message, request_id } }, { status, headers });
}
