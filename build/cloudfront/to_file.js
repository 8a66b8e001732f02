// A function of CloudFront (viewer request, runtime 2.0) before the files of [static]: a request gets the name of its file.
// What has no file goes to the servers, by the settings in docs/cloudfront.md. The runtime has no spread and no sets.
import cf from "cloudfront";

// The id of the origin that answers what can have no file. Empty where there are no servers.
const SERVERS = "servers";
function handler(event) {
  const request = event.request;
  const file = /^(?:GET|HEAD)$/.test(request.method) ? nameFile(request.uri, request.rawQueryString() || "") : null;
  if (file !== null) {
    request.uri = "/" + file;
    request.querystring = {};
  } else if (SERVERS && /^\/v1\//.test(request.uri) && !/\.json$/.test(request.uri)) cf.selectRequestOriginById(SERVERS);
  else request.uri = request.uri.replace(/\/$/, "/index.html");
  return request;
}

// The rule of outings/contract/static_files.py. The values of these parameters mean the same in any order.
const SETS =
  "ages audience category enrollment_type expand facets fields include kind match occasion place_type season team type type_hint types weekday zip";

// The name of a request's file. Null if it can have none, is no request of the API, or is the name of a file already.
function nameFile(path, query) {
  if (!/^\/v1\/./.test(path) || /\/\/|\/$|\.json$|\/(?:around|nearby|activity)$/.test(path)) return null;
  const suffix = (/[^/](\.(?:jsonl|parquet|ics))$/.exec(path) || ["", ".json"])[1];
  const stem = path.slice(-suffix.length) === suffix ? path.slice(0, -suffix.length) : path;
  const given = {};
  try {
    query.split("&").filter((piece) => piece).forEach((piece) => {
      const at = (piece + "=").indexOf("=");
      const name = decodeURIComponent(piece.slice(0, at));
      const text = decodeURIComponent(piece.slice(at + 1).replace(/\+/g, " "));
      const isSet = SETS.split(" ").indexOf(name) >= 0;
      const isOpaque = name === "cursor" && !/^[0-9]+$/.test(text);
      if (!/^[a-z_]+$/.test(name) || isOpaque || text === "" || (given[name] && !isSet)) throw piece;
      given[name] = (given[name] || []).concat(isSet ? text.split(",").map((each) => each.replace(/^ +| +$/g, "")) : text);
    });
    const pieces = Object.keys(given).sort().map((name) => {
      return name + "=" + given[name].sort().filter((each, at, all) => each !== all[at - 1]).map(encode).join(",");
    });
    const folders = stem.slice(1).split("/").map((part) => protect(encode(decodeURIComponent(part))));
    const parts = folders.concat(pieces.length ? protect(pieces.join("&")) : []);
    return parts.some((part) => part.length + suffix.length > 255) ? null : parts.join("/") + suffix;
  } catch (error) {
    return null;
  }
}

function encode(text) {
  const write = (sign) => "!" + (sign.slice(1) || sign.charCodeAt(0).toString(16)).toLowerCase();
  return encodeURIComponent(text).replace(/%..|[^a-z0-9._-]/g, write);
}

// So that no file system hides it, cuts it or takes it for a device.
function protect(part) {
  const isTaken = /^(?:\.|(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|$))/.test(part);
  const name = isTaken ? "!" + part.charCodeAt(0).toString(16) + part.slice(1) : part;
  return name.replace(/\.$/, "!2e");
}
