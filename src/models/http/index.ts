export { type ClientLease, type HttpClient, type HttpRequest, leaseClient, openClient } from "./client.js";
export { parseEndpointHost, requireSafeEndpoint } from "./endpoint.js";
export type { HttpResponse } from "./response.js";
export { type HttpHeaders, parseRetryAfter, readHeader } from "./response.js";
export { SseReader } from "./sse.js";
