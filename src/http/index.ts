export type { HttpAnswer } from "./answer.js";
export { type HttpClient, type HttpClientOptions, type HttpRequest, openClient } from "./client.js";
export { type EndpointCheck, endpointName, isLoopback, requireSafeEndpoint } from "./endpoint.js";
export { type Headers, retryAfterMs } from "./retry-after.js";
export { type ClientLease, leaseClient } from "./shared.js";
export { MAX_EVENT_CHARS, type SseOptions, SseReader } from "./sse.js";
