import type { Usage } from "../../core/index.js";

export const DIALECT_NAMES = ["chat", "responses", "anthropic", "gemini"] as const;

/** OpenAI Chat Completions, OpenAI Responses, Anthropic Messages, Gemini generateContent. */
export type DialectName = (typeof DIALECT_NAMES)[number];

/** One message of a conversation. Several parts are sent separately if the dialect supports it. */
export interface Message {
  readonly role: "user" | "assistant" | "system";
  readonly parts: readonly string[];
}

/** The required format of an answer: one JSON object. Endpoints without support ignore it. */
export interface AnswerFormat {
  /** Letters, digits, underscores and dashes. */
  readonly name: string;
  /** A JSON Schema in which every object lists all its properties as required and allows no others. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** A model request, independent of the dialect. */
export interface ModelRequest {
  readonly model: string;
  readonly system?: string;
  readonly messages: readonly Message[];
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly stream: boolean;
  /** Absent for free text. */
  readonly answer?: AnswerFormat;
  /** Merged into the body last, so that it can set or replace anything. */
  readonly extraBody?: Readonly<Record<string, unknown>>;
  /** Body parameters that the model rejected; they are omitted. */
  readonly refused?: readonly string[];
}

/** How an answer ended. */
export type Finish = "stop" | "truncated" | "refused" | "tool_calls";

/** An error as the provider words it. */
export interface ProviderError {
  readonly message: string;
  readonly type: string | null;
}

/** What one event added to an answer. */
export interface AnswerDelta {
  /** Visible text. */
  readonly text: string;
  /** Text that is billed but not shown: reasoning, tool call arguments. */
  readonly hidden: string;
}

/** The API format of a provider: how to write requests and read answers. */
export interface Dialect {
  readonly name: DialectName;
  /** The default limit of an answer in tokens, if the dialect requires one. */
  readonly usualMaxTokens?: number;
  /** The path and query after the base URL, such as `/chat/completions`. */
  path(model: string, stream: boolean): string;
  /** The authentication headers and others that the dialect requires. */
  headers(key: string | null): Record<string, string>;
  body(request: ModelRequest): Record<string, unknown>;
  /** Creates a reader for one answer. If a format with this name was requested, the text is its JSON object. */
  reader(answerName?: string): AnswerReader;
  /** The error in the body of an error response; null if there is none. */
  errorIn(body: unknown): ProviderError | null;
  /** An error body for clients of this dialect. */
  errorBody(status: number, error: ProviderError): Record<string, unknown>;
}

/** Reads one answer, as streamed events or as a whole. */
export interface AnswerReader {
  /** Reads the parsed `data` of one event. Accepts anything; unknown events are counted in `unknownEvents`. */
  readEvent(event: unknown): AnswerDelta;
  /** Reads a whole answer that was not streamed. */
  readWhole(body: unknown): AnswerDelta;
  /** Usage so far; null until the provider reports it. No class ever decreases. */
  readonly usage: Usage | null;
  /** The cost reported by the provider, if any (OpenRouter's `usage.cost`). */
  readonly costUsd: number | null;
  readonly finish: Finish | null;
  /** The provider's own value. */
  readonly finishReason: string | null;
  /** An error inside the answer. */
  readonly error: ProviderError | null;
  /** True after the dialect's end marker; a stream that stops without it was truncated. */
  readonly isComplete: boolean;
  /** The model name reported by the provider. */
  readonly model: string | null;
  readonly unknownEvents: number;
  /** Invalid data, such as usage that decreased or was negative. */
  readonly problems: readonly string[];
}
