import type { Usage } from "../../core/system.js";

export const DIALECT_NAMES = ["chat", "responses", "anthropic", "gemini"] as const;

/** OpenAI Chat Completions, OpenAI Responses, Anthropic Messages, Gemini generateContent. */
export type DialectName = (typeof DIALECT_NAMES)[number];

/** One message of a conversation. Several parts stay apart on the wire where the dialect can hold them. */
export interface Message {
  readonly role: "user" | "assistant" | "system";
  readonly parts: readonly string[];
}

/** What an answer must look like: one JSON object. Endpoints that do not know how to keep to it ignore it. */
export interface AnswerShape {
  /** Letters, digits, underscores and dashes. */
  readonly name: string;
  /** A JSON Schema in which every object lists all its properties as required and allows no others. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** What a model is asked, in no dialect. */
export interface ModelRequest {
  readonly model: string;
  readonly system?: string;
  readonly messages: readonly Message[];
  readonly temperature?: number;
  readonly maxTokens?: number;
  readonly stream: boolean;
  /** Left out, the answer is free text. */
  readonly answer?: AnswerShape;
  /** Added to the body last, so that it can set or replace anything. */
  readonly extraBody?: Readonly<Record<string, unknown>>;
  /** Parameters that the model has refused, as they are called in the body: it is sent without them. */
  readonly refused?: readonly string[];
}

/** How an answer ended. */
export type Finish = "stop" | "truncated" | "refused" | "tool_calls";

/** An error in a provider's own words. */
export interface ProviderError {
  readonly message: string;
  readonly type: string | null;
}

/** What one event added to an answer. */
export interface Delta {
  /** Text for the reader. */
  readonly text: string;
  /** Text that is billed and not shown: reasoning, arguments of tool calls. */
  readonly hidden: string;
}

/** One way of talking to models: how a request is written and how an answer is read. */
export interface Dialect {
  readonly name: DialectName;
  /** The longest answer that is asked for when the caller asks for none, in tokens; absent where nothing is. */
  readonly usualMaxTokens?: number;
  /** The path and query below the base URL, such as `/chat/completions`. */
  path(model: string, stream: boolean): string;
  /** The headers that carry the key, and those the dialect asks for. */
  headers(key: string | null): Record<string, string>;
  body(request: ModelRequest): Record<string, unknown>;
  /** Reads an answer. Its text is the object that was asked for when a shape of this name was given. */
  reader(answerName?: string): AnswerReader;
  /** The error that a body with an error status holds; null when it holds none that is known. */
  errorIn(body: unknown): ProviderError | null;
  /** A body with an error as this dialect's clients expect it. */
  errorBody(status: number, error: ProviderError): Record<string, unknown>;
}

/** Reads one answer: event by event as it streams, or whole. */
export interface AnswerReader {
  /** Takes in the parsed `data` of one event. Anything may come: what it does not know it counts in `unknownEvents`. */
  readEvent(event: unknown): Delta;
  /** Takes in a whole answer that was not streamed. */
  readWhole(body: unknown): Delta;
  /** What this answer has used so far, null until the provider says. No class ever decreases. */
  readonly usage: Usage | null;
  /** What the provider itself says the answer cost, when it does (OpenRouter's `usage.cost`). */
  readonly costUsd: number | null;
  readonly finish: Finish | null;
  /** The provider's own word for it. */
  readonly finishReason: string | null;
  /** An error that came inside the answer. */
  readonly error: ProviderError | null;
  /** True once the dialect's own sign of the end was seen: a stream that stops without it was cut. */
  readonly isComplete: boolean;
  /** The model as the provider names it. */
  readonly model: string | null;
  readonly unknownEvents: number;
  /** What made no sense, such as usage that decreased or was negative. */
  readonly problems: readonly string[];
}
