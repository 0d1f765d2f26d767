export type { HttpResponse } from "./answer.js";
export { type HttpClient, type HttpRequest, openClient } from "./client.js";
export { parseEndpointHost, requireSafeEndpoint } from "./endpoint.js";
export { type HttpHeaders, parseRetryAfter, readHeader } from "./retry-after.js";
export { type ClientLease, leaseClient } from "./shared.js";
export { SseReader } from "./sse.js";
