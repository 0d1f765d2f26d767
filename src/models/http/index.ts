export type { HttpAnswer } from "./answer.js";
export { type HttpClient, type HttpRequest, openClient } from "./client.js";
export { endpointName, requireSafeEndpoint } from "./endpoint.js";
export { type Headers, readHeader, retryAfterMs } from "./retry-after.js";
export { type ClientLease, leaseClient } from "./shared.js";
export { SseReader } from "./sse.js";
