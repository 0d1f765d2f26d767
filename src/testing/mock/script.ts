export const MOCK_DIALECTS = ["chat", "responses", "anthropic", "gemini"] as const;

/** OpenAI Chat Completions, OpenAI Responses, Anthropic Messages, Gemini generateContent. */
export type MockDialect = (typeof MOCK_DIALECTS)[number];

export const STATUS_FAULTS = ["401", "404", "429", "500", "503", "529"] as const;

/** Every fault that a mock can be told to make. */
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
 * A way of failing. `cut` breaks the connection in the middle, `early-end` closes it properly in the middle, `hang` says
 * nothing more, `error-event` is an error inside an answer with status 200, `slow-loris` sends a byte at a time.
 */
export type FaultKind = (typeof FAULT_KINDS)[number];

/** A fault, and which requests it happens to. Conditions that are given must all hold; none means every request. */
export interface MockFault {
  /** What goes wrong. A status may be written as a number. */
  readonly kind: FaultKind | 401 | 404 | 429 | 500 | 503 | 529;
  /** The share of requests, decided by the seed. Rates of several faults add up. */
  readonly rate?: number;
  /** Only the first requests, this many. */
  readonly first?: number;
  /** Only each n-th request. */
  readonly every?: number;
  /** Only requests for this model. */
  readonly model?: string;
  /** With an error status: seconds in a Retry-After header, or a date two seconds ahead. */
  readonly retryAfter?: number | "http-date";
  /** Of a stream: the fault comes after this many tokens. Default: half of them. A `hang` without it sends nothing. */
  readonly afterTokens?: number;
  /** The size of a `huge-line`. Default: 50 MB. */
  readonly bytes?: number;
  /** The pause between two bytes of a `slow-loris`, in milliseconds. Default: 100. */
  readonly intervalMs?: number;
}

/** Answers prompts that match: a text they hold, or a regular expression written as `/…/` or `/…/i`. */
export interface ReplyRule {
  /** A text that the prompt holds, or a regular expression written as `/…/` or `/…/i`. */
  readonly match: string;
  /** What is answered. */
  readonly reply: string;
  /** Only requests for this model. */
  readonly model?: string;
}

/** A question the mock can answer. Of questions asked in several contexts, the one whose context is in the prompt counts. */
export interface KnownAnswer {
  /** A text that the prompt holds. */
  readonly question: string;
  /** What is answered. */
  readonly answer: string;
  /** A text that the prompt holds as well, where one question has several answers. */
  readonly context?: string;
}

/** One turn of an agent: a shell command, a call of a tool by name, or a text that ends the conversation. */
export type ToolStep = (
  | {
      /** A command for the shell of the agent. */
      readonly command: string;
    }
  | {
      /** The tool that is called. */
      readonly name: string;
      /** The arguments of the tool. */
      readonly arguments?: Readonly<Record<string, unknown>>;
    }
  | {
      /** A text that ends the conversation. */
      readonly text: string;
    }
) &
  StepManner;

/** How a step is made. */
interface StepManner {
  /** The turn has at least this many tokens: its text, or a text before its call, is filled up to it. */
  readonly outputTokens?: number;
  /** Milliseconds to the first byte of this turn, instead of that of the script. */
  readonly latencyMs?: number;
}

/** The steps of conversations in which a text of the user matches, as in a `ReplyRule`. */
export interface ToolRule {
  /** A text of the user, or a regular expression written as `/…/` or `/…/i`. */
  readonly match: string;
  /** What the agent is told to do, one step a turn. */
  readonly steps: readonly ToolStep[];
  /** Only requests for this model. */
  readonly model?: string;
}

/** Fixed token counts. The classes are disjoint, except that `cacheWrite1h` is a part of `cacheWrite`. */
interface MockUsage {
  /** Tokens of input that are neither read from a cache nor written to one. */
  readonly input?: number;
  /** Tokens read from the prompt cache. */
  readonly cacheRead?: number;
  /** Tokens written to the prompt cache. */
  readonly cacheWrite?: number;
  /** Those of `cacheWrite` that are kept for one hour. */
  readonly cacheWrite1h?: number;
  /** Tokens of output that are billed and not sent. */
  readonly reasoning?: number;
  /** Dollars the provider says it costs, as OpenRouter does. */
  readonly cost?: number;
}

export interface RateLimit {
  /** How many requests are let through. */
  readonly requests: number;
  /** In this many milliseconds. */
  readonly perMs: number;
  /** Seconds in the Retry-After header of refused requests. Default: the time until there is room. */
  readonly retryAfter?: number | "http-date";
}

/** A time that is drawn for each request. */
interface LatencyRange {
  /** The shortest, in milliseconds. */
  readonly min: number;
  /** The longest, in milliseconds. */
  readonly max: number;
}

/** How the mock treats a request. */
export interface MockBehaviour {
  /** Everything left to chance follows from it. Default: 0. */
  readonly seed?: number;
  /** Milliseconds to the first byte. */
  readonly latencyMs?: number | LatencyRange;
  /** Tokens of output a second. Default: all at once. */
  readonly tokensPerSec?: number;
  /** Tokens in each chunk of a stream. Default: 4. */
  readonly chunkTokens?: number;
  /** What is answered: a text, `echo` for the last user text, or the first rule that matches. */
  readonly reply?: string | readonly ReplyRule[];
  /** Questions whose answers are known: a JSONL file of examples, or a list. They come before `reply`. */
  readonly answers?: string | readonly KnownAnswer[];
  /** The share of tasks answered right, for all models or by model. Which ones follows from the seed. */
  readonly successRate?: number | Readonly<Record<string, number>>;
  /** Replies are filled up to this many tokens. */
  readonly outputTokens?: number;
  /** Token counts to report instead of those of the text, at four characters a token. */
  readonly usage?: MockUsage;
  /** Reports no usage at all. */
  readonly noUsage?: boolean;
  /** Usage as a faulty provider might report it; `cumulative` is a running total with every chunk. */
  readonly usageQuirk?: "missing" | "decreasing" | "negative" | "cumulative";
  /**
   * What an agent is told to do: one step a turn, counted by the tool results in the request; then the reply. Of rules the
   * first that fits plays, so that several tasks can be played at the same time.
   */
  readonly tools?: readonly ToolStep[] | readonly ToolRule[];
  /** How answers end; `refusal` is the model's, `blocked` a content filter's. */
  readonly finish?: "stop" | "length" | "refusal" | "blocked";
  /**
   * Parameters that the model refuses with status 400, as its provider does: `temperature`, `top_p`, `max_tokens`,
   * `tool_choice` (a forced one), `output_config`, `prefill` (a last message of the assistant), or any other key.
   */
  readonly refuses?: readonly string[];
  /** Ways of failing, and which requests they happen to. */
  readonly faults?: readonly MockFault[];
  /** A bucket that refills steadily: requests above it are answered with 429. */
  readonly rateLimit?: RateLimit;
  /** Requests above this many at a time are answered with 429. */
  readonly maxConcurrent?: number;
}

/**
 * A whole script: how to treat all requests, and what is different for some models.
 * @example
 * const script: MockScript = { reply: "echo", models: { cheap: { successRate: 0.5, latencyMs: 20 } } };
 */
export interface MockScript extends MockBehaviour {
  /** Requests must carry this key. */
  readonly requireKey?: string;
  /** What is different for some models, by name. */
  readonly models?: Readonly<Record<string, MockBehaviour>>;
}
