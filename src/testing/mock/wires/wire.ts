import type { Answer } from "../answer.js";
import type { Prompt } from "../prompt.js";
import type { ParameterRefusal } from "../refusals.js";
import type { MockDialect } from "../script.js";
import type { UsageClass } from "../usage.js";

/** A request as it came in, for a dialect to read. */
export interface WireRequest {
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The model that the path names. */
  readonly model: string;
  /** Whether the path asks for a stream. */
  readonly streams: boolean;
  readonly query: string;
}

/** An error as a provider words it. */
export interface WireError {
  readonly status: number;
  readonly message: string;
  /** Seconds until another try makes sense, when that is said. */
  readonly retryAfter: number | null;
  /** Of a request that was refused for one of its parameters. */
  readonly refusal?: ParameterRefusal;
}

/** Where in a stream something stands. */
export interface Place {
  /** How many pieces came before. */
  readonly index: number;
  /** How many tokens were sent once this is sent. */
  readonly sent: number;
  /** True in the call of a tool, which may follow a text. */
  readonly inCall: boolean;
}

/** The provider's side of one dialect: how requests are read and answers are written. */
export interface Wire {
  readonly name: MockDialect;
  /** The classes of usage that it has words for. */
  readonly tells: readonly UsageClass[];
  /** True when a call of a tool is sent in one piece. */
  readonly wholeCalls: boolean;
  /** Throws `BadRequest` for what the provider would refuse. */
  readonly read: (request: WireRequest) => Prompt;
  /** The whole answer in one body. */
  readonly whole: (answer: Answer) => Record<string, unknown>;
  /** The stream up to its first piece. */
  readonly open: (answer: Answer) => string;
  /** One piece of the text, or of the arguments of a call. */
  readonly piece: (answer: Answer, text: string, place: Place) => string;
  /** What stands between a text and the call that follows it. */
  readonly turn: (answer: Answer, place: Place) => string;
  /** The rest of the stream after the last piece. */
  readonly close: (answer: Answer, place: Place) => string;
  readonly error: (error: WireError) => Record<string, unknown>;
  /** An error inside a stream that began well. */
  readonly errorEvent: (answer: Answer, message: string, place: Place) => string;
  /** How many tokens a prompt has, for dialects that can be asked. */
  readonly count: (tokens: number) => Record<string, unknown>;
}

/** A server-sent event without a name. */
export function dataEvent(data: unknown): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** A server-sent event named after its type. */
export function typedEvent<T extends { readonly type: string }>(data: T): string {
  return `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
}
