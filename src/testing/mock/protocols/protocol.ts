import type { MockAnswer, UsageClass } from "../answer.js";
import type { MockPrompt } from "../prompt.js";
import type { ParameterRefusal } from "../refusals.js";
import type { MockDialect } from "../script.js";

interface OpenaiErrorKind {
  readonly type: string;
  readonly code: string | null;
}

const ERROR_KINDS: Readonly<Record<number, OpenaiErrorKind>> = {
  400: { type: "invalid_request_error", code: null },
  401: { type: "invalid_request_error", code: "invalid_api_key" },
  404: { type: "invalid_request_error", code: "model_not_found" },
  429: { type: "requests", code: "rate_limit_exceeded" },
};
const SERVER_ERROR: OpenaiErrorKind = { type: "server_error", code: "server_error" };

/** The error body of both OpenAI API formats. */
export function makeOpenaiError({ status, message, refusal }: ProtocolError): Record<string, unknown> {
  const { type, code } = ERROR_KINDS[status] ?? SERVER_ERROR;
  return { error: { message, type, param: refusal?.param ?? null, code: refusal?.code ?? code } };
}

/** An incoming request. */
export interface ProtocolRequest {
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The model in the path. */
  readonly model: string;
  /** True if the path requests a stream. */
  readonly streams: boolean;
  readonly query: string;
}

/** An error, to be sent in the provider's format. */
export interface ProtocolError {
  readonly status: number;
  readonly message: string;
  /** Seconds until a retry, if reported. */
  readonly retryAfter: number | null;
  /** Set if one parameter was rejected. */
  readonly refusal?: ParameterRefusal;
}

/** Part of a stream: text, or the bytes of a binary format. */
export type StreamData = string | Buffer;

/** A position in a stream. */
export interface PiecePosition {
  /** Number of pieces before it. */
  readonly index: number;
  /** Tokens sent including this piece. */
  readonly sent: number;
  /** True within a tool call, which may follow a text. */
  readonly inCall: boolean;
}

/** The provider's side of an API format: reads requests and writes answers. */
export interface MockProtocol {
  readonly name: MockDialect;
  /** The classes of usage that it can report. */
  readonly tells: readonly UsageClass[];
  /** True if a tool call is sent in one piece. */
  readonly wholeCalls: boolean;
  /** Throws `BadRequestError` for what the provider would reject. */
  readonly read: (request: ProtocolRequest) => MockPrompt;
  /** The content type of its streams. Default: server-sent events. */
  readonly streamType?: string;
  /** The whole answer in one body. */
  readonly whole: (answer: MockAnswer) => Record<string, unknown>;
  /** The stream up to its first piece. */
  readonly open: (answer: MockAnswer) => StreamData;
  /** One piece of the text, or of the arguments of a call. */
  readonly piece: (answer: MockAnswer, text: string, place: PiecePosition) => StreamData;
  /** The transition from a text to the following call. */
  readonly turn: (answer: MockAnswer, place: PiecePosition) => StreamData;
  /** The rest of the stream after the last piece. */
  readonly close: (answer: MockAnswer, place: PiecePosition) => StreamData;
  readonly error: (error: ProtocolError) => Record<string, unknown>;
  /** Headers of an error response that say what it is. */
  readonly errorHeaders?: (error: ProtocolError) => Record<string, string>;
  /** An error within a stream. */
  readonly errorEvent: (answer: MockAnswer, message: string, place: PiecePosition) => StreamData;
  /** The answer to a token count request. */
  readonly count: (tokens: number) => Record<string, unknown>;
}

/** A server-sent event without a name. */
export function formatDataEvent(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** A server-sent event named after its type. */
export function formatTypedEvent<T extends { readonly type: string }>(data: T): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
