/** Calls models: dialects, HTTP, token counts. */
export {
  type JsonFields,
  RawUsage,
  readJsonList,
  readJsonObject,
  readJsonString,
  toJsonText,
} from "./dialects/answer-base.js";
export { AnthropicAnswerReader } from "./dialects/anthropic.js";
export {
  type AnswerDelta,
  type AnswerFormat,
  type AnswerReader,
  DIALECT_NAMES,
  type Dialect,
  type DialectName,
  type Finish,
  type Message,
  type ModelRequest,
  type ProviderError,
} from "./dialects/dialect.js";
export { dialects } from "./dialects/index.js";
export { findRefusedParameter, getReplacementParameter, isParameterSent } from "./dialects/refused-parameter.js";
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
export { resolveTokenizer } from "./tokens/resolve-tokenizer.js";
export {
  loadTokenizer,
  type MemoOptions,
  memoTokenizer,
  TOKENIZER_NAMES,
  type TokenizerName,
} from "./tokens/tokenizer.js";
