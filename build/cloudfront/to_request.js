// A function of CloudFront (viewer request, runtime 2.0) before the servers: the name of a file of [static] becomes its request again.
// CloudFront asks the servers what it did not find among the files, and has only the name by then: docs/cloudfront.md.

function handler(event) {
  const request = event.request;
  request.uri = request.uri.replace(/\/index\.html$/, "/");
  const match = /^(\/v1\/.*?)(?:\/([^/]*=[^/]*))?\.(json|jsonl|parquet|ics)$/.exec(request.uri);
  if (match === null) return request;
  // A path that names a format keeps it: `/v1/seattle/events.ics`. A browser's own query stays beside the file's.
  request.uri = decode(match[1]) + (match[3] === "json" ? "" : "." + match[3]);
  (match[2] ? match[2].split("&") : []).forEach((piece) => {
    const at = piece.indexOf("=");
    request.querystring[piece.slice(0, at)] = { value: decode(piece.slice(at + 1)) };
  });
  return request;
}

function decode(text) {
  return text.replace(/!([0-9a-f]{2})/g, "%$1");
}
