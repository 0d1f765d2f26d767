/** OpenAI Chat Completions, OpenAI Responses, Anthropic Messages, Gemini generateContent, Bedrock Converse. */
export type MockDialect = "chat" | "responses" | "anthropic" | "gemini" | "bedrock";

export const STATUS_FAULTS = ["401", "404", "429", "500", "503", "529"] as const;

/** All kinds of faults that a mock can produce. */
export const FAULT_KINDS = [
  ...STATUS_FAULTS,
  "html",
  "empty",
  "disconnect",
  "cut",
  "early-end",
  "malformed",
  "invalid-utf8",
  "huge-line",
  "slow-loris",
  "hang",
  "error-event",
] as const;

/**
 * A kind of failure. `cut` breaks the connection in the middle, `early-end` closes it properly in the middle, `hang` sends
 * nothing more, `error-event` is an error inside an answer with status 200, `slow-loris` sends one byte at a time.
 */
export type FaultKind = (typeof FAULT_KINDS)[number];

/** A fault, and the requests it applies to. All given conditions must hold; without any, it applies to every request. */
export interface MockFault {
  /** The kind of fault. A status may be written as a number. */
  readonly kind: FaultKind | 401 | 404 | 429 | 500 | 503 | 529;
  /** The share of requests, chosen by the seed. Rates of several faults add up. */
  readonly rate?: number;
  /** Only this many first requests. */
  readonly first?: number;
  /** Only every n-th request. */
  readonly every?: number;
  /** Only requests for this model. */
  readonly model?: string;
  /** With an error status: seconds in a Retry-After header, or a date two seconds ahead. */
  readonly retryAfter?: number | "http-date";
  /** For streams: the fault occurs after this many tokens. Default: half of them. A `hang` without it sends nothing. */
  readonly afterTokens?: number;
  /** The size of a `huge-line`. Default: 50 MB. */
  readonly bytes?: number;
  /** The pause between two bytes of a `slow-loris`, in milliseconds. Default: 100. */
  readonly intervalMs?: number;
}

/** Answers matching prompts: those that contain a text, or match a regular expression written as `/…/` or `/…/i`. */
export interface ReplyRule {
  /** A text that the prompt contains, or a regular expression written as `/…/` or `/…/i`. */
  readonly match: string;
  /** The answer. */
  readonly reply: string;
  /** Only requests for this model. */
  readonly model?: string;
}

/** A question that the mock can answer. If a question has several contexts, the one in the prompt is used. */
export interface KnownAnswer {
  /** A text that the prompt contains. */
  readonly question: string;
  /** The answer. */
  readonly answer: string;
  /** A text that the prompt also contains, if one question has several answers. */
  readonly context?: string;
}

/** One turn of an agent: a shell command, a tool call by name, or a text that ends the conversation. */
export type ToolStep = (
  | {
      /** A command for the agent's shell. */
      readonly command: string;
    }
  | {
      /** The name of the tool to call. */
      readonly name: string;
      /** The arguments of the tool. */
      readonly arguments?: Readonly<Record<string, unknown>>;
    }
  | {
      /** A text that ends the conversation. */
      readonly text: string;
    }
) &
  ToolStepOptions;

/** Options of a step. */
interface ToolStepOptions {
  /** The minimum length of the turn in tokens: its text, or a text before its call, is padded. */
  readonly outputTokens?: number;
  /** Milliseconds to the first byte of this turn, instead of the script's. */
  readonly latencyMs?: number;
}

/** Steps for conversations in which a user text matches, as in a `ReplyRule`. */
export interface ToolRule {
  /** A user text, or a regular expression written as `/…/` or `/…/i`. */
  readonly match: string;
  /** What the agent does, one step per turn. */
  readonly steps: readonly ToolStep[];
  /** Only requests for this model. */
  readonly model?: string;
}

/** Fixed token counts. The classes are disjoint, except that `cacheWrite` includes `cacheWrite1h`. */
interface MockUsage {
  /** Input tokens neither read from nor written to a cache. */
  readonly input?: number;
  /** Tokens read from the prompt cache. */
  readonly cacheRead?: number;
  /** Tokens written to the prompt cache. */
  readonly cacheWrite?: number;
  /** The part of `cacheWrite` that is kept for one hour. */
  readonly cacheWrite1h?: number;
  /** Output tokens that are billed but not sent. */
  readonly reasoning?: number;
  /** Cost in dollars as reported by the provider, like OpenRouter does. */
  readonly cost?: number;
}

export interface RateLimit {
  /** Number of allowed requests. */
  readonly requests: number;
  /** Per this many milliseconds. */
  readonly perMs: number;
  /** Seconds in the Retry-After header of rejected requests. Default: the time until a request is allowed. */
  readonly retryAfter?: number | "http-date";
}

/** A random time per request. */
interface LatencyRange {
  /** Minimum in milliseconds. */
  readonly min: number;
  /** Maximum in milliseconds. */
  readonly max: number;
}

/** How the mock treats requests. */
export interface MockBehavior {
  /** Seed of all random choices. Default: 0. */
  readonly seed?: number;
  /** Milliseconds to the first byte. */
  readonly latencyMs?: number | LatencyRange;
  /** Output tokens per second. Default: all at once. */
  readonly tokensPerSec?: number;
  /** Tokens in each chunk of a stream. Default: 4. */
  readonly chunkTokens?: number;
  /** The answer: a text, `echo` for the last user text, or the first matching rule. */
  readonly reply?: string | readonly ReplyRule[];
  /** Questions with known answers: a dataset file, or a list. They take precedence over `reply`. */
  readonly answers?: string | readonly KnownAnswer[];
  /** The share of tasks answered correctly, for all models or by model. The seed decides which ones. */
  readonly successRate?: number | Readonly<Record<string, number>>;
  /** Pads replies to this many tokens. */
  readonly outputTokens?: number;
  /** Token counts to report instead of estimates at four characters per token. */
  readonly usage?: MockUsage;
  /** Reports no usage. */
  readonly noUsage?: boolean;
  /** Usage as a faulty provider might report it; `cumulative` is a running total with every chunk. */
  readonly usageQuirk?: "missing" | "decreasing" | "negative" | "cumulative";
  /**
   * What an agent does: one step per turn, counted by the tool results in the request; then the reply. The first matching rule
   * applies, so that several tasks can run at the same time.
   */
  readonly tools?: readonly ToolStep[] | readonly ToolRule[];
  /** How answers end; `refusal` comes from the model, `blocked` from a content filter. */
  readonly finish?: "stop" | "length" | "refusal" | "blocked";
  /**
   * Parameters that the model rejects with status 400, like its provider: `temperature`, `top_p`, `max_tokens`,
   * `tool_choice` (a forced one), `output_config`, `prefill` (a last message of the assistant), or any other key.
   */
  readonly refuses?: readonly string[];
  /** The model that answers name, if another than the requested one, as routers and retired models do. */
  readonly answersAs?: string;
  /** Faults, and the requests they apply to. */
  readonly faults?: readonly MockFault[];
  /** A token bucket that refills steadily: excess requests get status 429. */
  readonly rateLimit?: RateLimit;
  /** Requests above this concurrency get status 429. */
  readonly maxConcurrent?: number;
  /** How batches are answered; false for an endpoint without a batch API, or a model that it rejects. Default: at once. */
  readonly batch?: false | BatchBehavior;
}

/** How batches are answered. */
export interface BatchBehavior {
  /** Milliseconds until the last request of a batch is done; the others are done evenly before. Default: 0. */
  readonly delayMs?: number;
  /** Milliseconds after which a batch ends; requests that are not done by then expire. */
  readonly expiresAfterMs?: number;
  /** The share of requests that fail with status 500, chosen by the seed. */
  readonly errorRate?: number;
}

/**
 * A complete script: the behavior for all requests, and differences for some models.
 * @example
 * const script: MockScript = { reply: "echo", models: { cheap: { successRate: 0.5, latencyMs: 20 } } };
 */
export interface MockScript extends MockBehavior {
  /** The key that requests must send. */
  readonly requireKey?: string;
  /** Differences for some models, by name. */
  readonly models?: Readonly<Record<string, MockBehavior>>;
  /** Differences for some efforts, by name (`low`) or number of thinking tokens. They apply after those of the model. */
  readonly efforts?: Readonly<Record<string, MockBehavior>>;
}
