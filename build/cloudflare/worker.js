// Stands before the servers in Cloudflare's network. A server decides about each request: its key, its limits, and what
// answers it. Where the server only names a body, the body is taken from the cache of this place, from the bucket of
// releases, or from the server again. docs/cloudflare.md; the protocol is in docs/front-protocol.md.

// From how many bytes on a server names a body instead of sending it: 0, because a server is far and the cache is here.
const FOLLOWED = "follows=objects,exports,answers; from=0; pointer=own";
// What lies behind an address never changes. Nobody on the way packs or unpacks bytes of no type.
const KEPT = { "Cache-Control": "public, max-age=31536000, immutable", "Content-Type": "application/octet-stream" };
const UNTOUCHED = { cache: "no-store", encodeResponseBody: "manual" };
// Cloudflare's statuses, or a proxy's, if no server was reached.
const UNREACHABLE = [502, 504, 520, 521, 522, 523, 524, 525, 526, 530];
// These need no key, and are for operators.
const PROBES = ["/healthz", "/readyz", "/metrics"];
const REFUSAL = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "Retry-After, X-Request-Id, X-Trace-Id, Date, Vary",
  "Cache-Control": "no-store",
  "Vary": "X-API-Key, Accept-Encoding, Origin",
  "X-Content-Type-Options": "nosniff",
};

export default {
  async fetch(request, env, context) {
    if (PROBES.includes(new URL(request.url).pathname)) return refuse(404, "not_found", "There is no such route.");
    const servers = env.SERVERS.split(" ");
    const first = Math.floor(Math.random() * servers.length);
    const [server, answer] = await askInTurn(request, env, [...servers.slice(first), ...servers.slice(0, first)]);
    if (answer && !answer.headers.has("Outings-Body")) return reply(answer.status, answer.headers, answer.body);
    const found = answer && (await find(request, env, context, { server, answer }));
    if (found) return join(request, answer, found);
    // What the server named is gone. The request was counted, and is answered whole: as of now, with its own tag.
    const [, whole] = answer ? await askInTurn(request, env, servers, { "Outings-Fill": "any" }) : [];
    if (whole) return reply(whole.status, whole.headers, whole.body);
    // A dead server is replaced within a few seconds.
    return refuse(503, "unavailable", "Not available at the moment; try again in 5 s.", { "Retry-After": "5" });
  },
};

// The first answer, and whose it is. A request of which no answer has begun goes to another server, and may count twice.
// The first server is asked once more at the end: it may have closed a connection as the request was on its way.
async function askInTurn(request, env, servers, more) {
  for (const server of [...servers, servers[0]]) {
    const answer = await ask(request, env, server, more);
    if (answer) return [server, answer];
  }
  return [];
}

// A server's answer, its body in the coding that it has.
async function ask(request, env, server, more = {}) {
  const { pathname, search } = new URL(request.url);
  const headers = withoutOurs(request.headers);
  headers.set("Outings-Front", `${env.FRONT_SECRET}; ${FOLLOWED}`);
  // Cloudflare says whose request it is. What the reader says of that may be made up.
  headers.set("X-Forwarded-For", request.headers.get("CF-Connecting-IP") ?? "");
  headers.set("Accept-Encoding", readAccepted(request));
  for (const [name, value] of Object.entries(more)) headers.set(name, value);
  const options = { method: request.method, headers, redirect: "manual", ...UNTOUCHED };
  // Not `new URL(pathname, server)`: a path such as `//a.example/` would name another host, and tell it the secret.
  const answer = await fetch(new URL(server).origin + pathname + search, options).catch(() => null);
  return answer === null || UNREACHABLE.includes(answer.status) ? null : answer;
}

// The bytes behind the address in an answer. With a `Range` of an export: that part of them.
async function find(request, env, context, { server, answer }) {
  const address = answer.headers.get("Outings-Body");
  if (!address.startsWith("/")) return readSigned(address);
  const key = new URL(address, request.url).href;
  const range = isPartial(request, answer) ? { Range: request.headers.get("Range") } : {};
  const wanted = new Request(key, { headers: range });
  const kept = await caches.default.match(wanted);
  if (kept) return kept;
  const whole = (await readBucket(env, address)) ?? (await fill(request, env, server, answer));
  if (whole && range.Range) {
    await caches.default.put(key, whole);
    return caches.default.match(wanted);
  }
  if (whole) context.waitUntil(caches.default.put(key, whole.clone()));
  return whole;
}

async function readSigned(address) {
  const body = await fetch(address, UNTOUCHED).catch(() => null);
  return body?.status === 200 ? body : null;
}

// The object from the bucket. Null without a bucket, too.
async function readBucket(env, address) {
  const [, name] = address.match(/^\/\.outings\/(?:objects|exports)\/(.+)$/) ?? [];
  const object = name && (await env.BUCKET?.get(`${env.BUCKET_PREFIX}objects/${name}`).catch(() => null));
  return object ? new Response(object.body.pipeThrough(new FixedLengthStream(object.size)), { headers: KEPT }) : null;
}

// The body from the server that named it, if it would still give the same answer. The server says what coding it has.
async function fill(request, env, server, answer) {
  const etag = answer.headers.get("ETag");
  const coding = answer.headers.get("Outings-Coding");
  const filled = await ask(request, env, server, { "Outings-Fill": etag, "Accept-Encoding": coding });
  if (filled?.status !== 200 || filled.headers.get("ETag") !== etag) return null;
  const headers = { ...KEPT, "Outings-Coding": filled.headers.get("Content-Encoding") ?? "identity" };
  return new Response(filled.body, { headers });
}

// What a server said of an answer, with the body that it named.
function join(request, answer, found) {
  const headers = new Headers(answer.headers);
  const coding = found.headers.get("Outings-Coding") ?? answer.headers.get("Outings-Coding");
  const isTaken = takes(request, coding);
  headers.set("Cache-Control", answer.headers.get("Outings-Cache-Control"));
  headers.delete("Content-Length");
  if (coding !== "identity" && isTaken) headers.set("Content-Encoding", coding);
  if (isExport(answer)) headers.set("Accept-Ranges", "bytes");
  if (found.headers.has("Content-Range")) headers.set("Content-Range", found.headers.get("Content-Range"));
  return reply(found.status, headers, isTaken ? found.body : found.body.pipeThrough(new DecompressionStream(coding)));
}

function reply(status, headers, body) {
  return new Response(body, { status, headers: withoutOurs(headers), encodeBody: "manual" });
}

function isExport(answer) {
  return answer.headers.get("Outings-Body").startsWith("/.outings/exports/");
}

// `If-Range` needs a strong tag, and ours are weak: then the whole is right. So it is where bytes have to be unpacked.
function isPartial(request, answer) {
  const isCut = request.headers.has("Range") && !request.headers.has("If-Range");
  return isCut && isExport(answer) && takes(request, answer.headers.get("Outings-Coding"));
}

// Cloudflare asks workers for gzip and Brotli, whatever the reader takes.
function readAccepted(request) {
  return request.cf?.clientAcceptEncoding ?? request.headers.get("Accept-Encoding") ?? "";
}

function takes(request, coding) {
  const parts = readAccepted(request).toLowerCase().split(",").map((part) => part.split(";"));
  const weights = new Map(parts.map(([name, weight = "q=1"]) => [name.trim(), Number(weight.trim().slice(2))]));
  return coding === "identity" || (weights.get(coding) ?? weights.get("*") ?? 0) > 0;
}

function withoutOurs(headers) {
  return new Headers([...headers].filter(([name]) => !name.startsWith("outings-")));
}

// In the form of the API's own errors, with their headers.
function refuse(status, code, message, more = {}) {
  const request_id = crypto.randomUUID().replaceAll("-", "");
  const headers = { ...REFUSAL, "X-Request-Id": request_id, "X-Trace-Id": request_id, ...more };
  return Response.json({ error: { code, message, request_id } }, { status, headers });
}
