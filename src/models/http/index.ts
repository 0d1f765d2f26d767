export type { HttpAnswer } from "./answer.js";
export {
  type ClientLease,
  endpointName,
  type HttpClient,
  type HttpRequest,
  leaseClient,
  openClient,
  requireSafeEndpoint,
} from "./client.js";

export { type Headers, readHeader, retryAfterMs } from "./retry-after.js";

export { SseReader } from "./sse.js";
