import type { Effort, ServiceTier, Usage } from "../../core/index.js";

/** The formats that the gateway forwards and meters, which are also those of agents. */
export const GATEWAY_DIALECT_NAMES = ["chat", "responses", "anthropic", "gemini"] as const;

export type GatewayDialectName = (typeof GATEWAY_DIALECT_NAMES)[number];

/** Requests to Bedrock are signed for its own host, so that nothing in between can forward them. */
export const DIALECT_NAMES = [...GATEWAY_DIALECT_NAMES, "bedrock"] as const;

/** OpenAI Chat Completions, OpenAI Responses, Anthropic Messages, Gemini generateContent, Bedrock Converse. */
export type DialectName = (typeof DIALECT_NAMES)[number];

/** One message of a conversation. Several parts are sent separately if the dialect supports it. */
export interface Message {
  readonly role: "user" | "assistant" | "system";
  readonly parts: readonly string[];
  /** Images and documents, before the parts; only of the user. */
  readonly files?: readonly MessageFile[];
}

/** An image or a PDF document of a message. */
export interface MessageFile {
  readonly kind: "image" | "document";
  readonly name: string;
  readonly source: FileContent | { readonly url: string };
}

/** The content of a file. */
export interface FileContent {
  readonly mediaType: string;
  /** Base64. */
  readonly data: string;
}

export function formatDataUrl({ mediaType, data }: FileContent): string {
  return `data:${mediaType};base64,${data}`;
}

/** The required format of an answer: one JSON object. Endpoints without support ignore it. */
export interface AnswerFormat {
  /** Letters, digits, underscores and dashes. */
  readonly name: string;
  /** A JSON Schema in which every object lists all its properties as required and allows no others. */
  readonly schema: Readonly<Record<string, unknown>>;
}

/** How much a model should think, and how its endpoint is told. */
export interface EffortRequest {
  readonly value: Effort;
  /** Anthropic: a named effort is sent together with adaptive thinking. */
  readonly isAdaptive: boolean;
  /** OpenRouter, which has a format of its own. */
  readonly isRouted: boolean;
}

/** A model request, independent of the dialect. */
export interface ModelRequest {
  readonly model: string;
  readonly system?: string;
  readonly messages: readonly Message[];
  readonly temperature?: number;
  readonly maxTokens?: number;
  /** Absent for the model's own. */
  readonly effort?: EffortRequest;
  readonly stream: boolean;
  /** Absent for the standard one. */
  readonly serviceTier?: ServiceTier;
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
export interface Dialect<Name extends DialectName = DialectName> {
  readonly name: Name;
  /** The default limit of an answer in tokens, if the dialect requires one. */
  readonly usualMaxTokens?: number;
  /** The service tiers that a request can ask for. */
  readonly serviceTiers: readonly ServiceTier[];
  /** True if its paths begin at the root of the host; a base URL without a path gets `/v1` in all other formats. */
  readonly isRooted?: boolean;
  /** The content type of its streams. Default: server-sent events. */
  readonly streamType?: string;
  /** The path and query after the base URL, such as `/chat/completions`. */
  path(model: string, stream: boolean): string;
  /** The authentication headers and others that the dialect requires. */
  headers(key: string | null): Record<string, string>;
  body(request: ModelRequest): Record<string, unknown>;
  /** Whether it can send a file of this kind by its URL; absent if it can send no files at all. */
  takesUrl?(kind: MessageFile["kind"], url: string): boolean;
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
  /** The service tier that the provider reports; "standard" for its default, null if it reports none. */
  readonly serviceTier: string | null;
  /** Reads the service tier from outside of the body. */
  readServiceTier(value: unknown): void;
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
