/** Calls models: dialects, HTTP, batches, token counts. */

export { EVENT_STREAM_TYPE, EventStreamReader } from "./aws/event-stream.js";
export { type AwsCredentials, signAwsRequest } from "./aws/sign.js";
export {
  BATCHES_SCHEMA,
  type BatchEntry,
  Batches,
  type BatchesOptions,
  type BatchLog,
} from "./batch/index.js";
export {
  describeEfforts,
  describeModelEnd,
  explainMissingModel,
  explainUnsupportedEffort,
  findCapabilities,
  findSimilarModel,
  type ModelCapabilities,
  type ModelIdentity,
  requireEffort,
} from "./capabilities.js";
export {
  type JsonFields,
  RawUsage,
  readJsonList,
  readJsonObject,
  readJsonString,
  toJsonText,
} from "./dialects/answer-base.js";
export { AnthropicAnswerReader, vertexAnthropic } from "./dialects/anthropic.js";
export { buildBedrockEffort } from "./dialects/bedrock.js";
export {
  type AnswerDelta,
  type AnswerFormat,
  type AnswerReader,
  DIALECT_NAMES,
  type Dialect,
  type DialectName,
  type EffortRequest,
  type Finish,
  type GatewayDialectName,
  type Message,
  type MessageFile,
  type ModelRequest,
  type ProviderError,
} from "./dialects/dialect.js";
export { dialects } from "./dialects/index.js";
export { findRefusedParameter, getReplacementParameter, isParameterSent } from "./dialects/refused-parameter.js";
export { countImageTokens, type ImageReader } from "./files/image-tokens.js";
export { detectMedia, IMAGE_TYPES, TEXT_TYPE } from "./files/media.js";
export {
  type ClientLease,
  type HttpClient,
  type HttpRequest,
  leaseClient,
  openClient,
  RedirectError,
} from "./http/client.js";
export { parseEndpointHost, requireSafeEndpoint } from "./http/endpoint.js";
export { classifyHttpStatus, createHttpConnectionError } from "./http/errors.js";
export { type HttpHeaders, type HttpResponse, parseRetryAfter, readHeader } from "./http/response.js";
export { SseReader } from "./http/sse.js";
export type { Transport, TransportAnswer, TransportRequest, WrapTransport } from "./http/transport.js";
export { isSameModel } from "./model-names.js";
export { resolveTokenizer } from "./tokens/resolve-tokenizer.js";
export {
  loadTokenizer,
  type MemoOptions,
  memoTokenizer,
  TOKENIZER_NAMES,
  type TokenizerName,
} from "./tokens/tokenizer.js";
export {
  findReplayedPart,
  REPLAYED_NOTE,
  RecordedAnswers,
  type RecordTrafficOptions,
  type ReplayTrafficOptions,
  recordTraffic,
  replayTraffic,
  type Traffic,
} from "./traffic/index.js";
