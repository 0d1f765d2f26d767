import type { EffortName } from "../core/index.js";

/** When a table was compiled, and from what. */
interface TableHead {
  /** Who makes the models; end dates are those of its own API. */
  readonly maker: string;
  /** Names of the maker's own API as a provider. */
  readonly providers: readonly string[];
  /** YYYY-MM-DD. */
  readonly asOf: string;
  readonly source: string;
}

/** What a table says of one family. What is absent is unknown. */
export interface FamilyEntry {
  readonly context?: number;
  readonly output?: number;
  readonly structured?: boolean;
  /** Named efforts that the family accepts; an empty list for a model that does not think. */
  readonly efforts?: readonly EffortName[];
  /** The least and the most thinking tokens, if it takes a number. */
  readonly thinkingTokens?: readonly [min: number, max: number];
  /** True if named efforts need `thinking: adaptive` to make it think. */
  readonly adaptive?: boolean;
  readonly images?: boolean;
  readonly files?: boolean;
  /** Parameters of request bodies that it rejects. */
  readonly refused?: readonly string[];
  /** YYYY-MM-DD, from which requests fail or are answered by another model. */
  readonly ends?: string;
  readonly replacement?: string;
}

export interface CapabilityTable extends TableHead {
  readonly families: Readonly<Record<string, FamilyEntry>>;
}

const SEEING = { images: true, files: true } as const;
const BLIND = { images: false, files: false } as const;

const FROM_LOW = ["low", "medium", "high", "xhigh", "max"] as const;
const FROM_NONE = ["none", ...FROM_LOW] as const;
const O_SERIES = ["low", "medium", "high"] as const;

/** OpenAI's reasoning models. */
const OPENAI_REASONING = {
  structured: true,
  ...SEEING,
  output: 128_000,
  refused: ["temperature", "top_p", "max_tokens"],
} as const;
const GPT_6 = { ...OPENAI_REASONING, context: 1_050_000 } as const;
const GPT_5 = { ...OPENAI_REASONING, context: 400_000, efforts: ["minimal", "low", "medium", "high"] } as const;
/** They take a temperature as long as they do not think, which is their default. */
const GPT_5_1 = { ...OPENAI_REASONING, context: 400_000, refused: ["max_tokens"] } as const;
const GPT_5_2_EFFORTS = ["none", "low", "medium", "high", "xhigh"] as const;
const O_MODEL = { ...OPENAI_REASONING, context: 200_000, output: 100_000, efforts: O_SERIES } as const;
const GPT_4O = { context: 128_000, output: 16_384, structured: true, ...SEEING, efforts: [] } as const;
const GPT_4_1 = { context: 1_047_576, output: 32_768, structured: true, ...SEEING, efforts: [] } as const;

export const OPENAI_TABLE: CapabilityTable = {
  maker: "openai",
  providers: ["openai", "openai-responses"],
  asOf: "2026-11-18",
  source: "OpenAI model pages and deprecations page (as of 2026-10-28), models.dev",
  families: {
    "gpt-6.1-sol": { ...GPT_6, efforts: FROM_LOW },
    "gpt-6.1-terra": GPT_6,
    "gpt-6-astra": { ...GPT_6, efforts: FROM_LOW },
    "gpt-6-sol": GPT_6,
    "gpt-6-luna": { ...GPT_6, efforts: FROM_NONE },
    "gpt-5.6": { ...GPT_6, efforts: FROM_NONE },
    "gpt-5.6-sol": { ...GPT_6, efforts: FROM_NONE },
    "gpt-5.6-terra": { ...GPT_6, efforts: FROM_NONE },
    "gpt-5.6-luna": { ...GPT_6, efforts: FROM_NONE },
    "gpt-5.5": { ...GPT_6, efforts: GPT_5_2_EFFORTS },
    "gpt-5.4": { ...GPT_5_1, context: 1_050_000, efforts: GPT_5_2_EFFORTS },
    "gpt-5.4-mini": { ...GPT_5_1, efforts: GPT_5_2_EFFORTS },
    "gpt-5.4-nano": { ...GPT_5_1, efforts: GPT_5_2_EFFORTS, ends: "2027-04-01" },
    "gpt-5.3-codex": { ...GPT_5_1, ends: "2027-04-01" },
    "gpt-5.2": { ...GPT_5_1, efforts: GPT_5_2_EFFORTS },
    "gpt-5.1": { ...GPT_5_1, efforts: ["none", "low", "medium", "high"], ends: "2027-04-01" },
    "gpt-5": { ...GPT_5, ends: "2026-12-11", replacement: "gpt-5.6-sol" },
    "gpt-5-mini": { ...GPT_5, ends: "2026-12-11", replacement: "gpt-5.6-terra" },
    "gpt-5-nano": { ...GPT_5, ends: "2026-12-11", replacement: "gpt-5.6-luna" },
    "gpt-5-pro": { ...GPT_5, efforts: ["high"], ends: "2026-12-11", replacement: "gpt-5.6-sol" },
    o3: { ...O_MODEL, ends: "2026-12-11", replacement: "gpt-5.6-sol" },
    "o3-pro": { ...O_MODEL, ends: "2026-12-11", replacement: "gpt-5.6-sol" },
    "o3-mini": { ...O_MODEL, ...BLIND, ends: "2026-10-23", replacement: "gpt-5.6-sol" },
    "o4-mini": { ...O_MODEL, ends: "2026-10-23", replacement: "gpt-5.6-terra" },
    o1: { ...O_MODEL, ends: "2026-10-23", replacement: "gpt-5.6-sol" },
    "o1-pro": { ...O_MODEL, ends: "2026-10-23", replacement: "gpt-5.6-sol" },
    "gpt-4.1": { ...GPT_4_1, ends: "2027-01-14", replacement: "gpt-6-luna" },
    "gpt-4.1-mini": { ...GPT_4_1, ends: "2027-01-14", replacement: "gpt-6-luna" },
    "gpt-4.1-nano": { ...GPT_4_1, ends: "2026-10-23", replacement: "gpt-5.6-luna" },
    "gpt-4o": { ...GPT_4O, ends: "2027-01-14", replacement: "gpt-6-luna" },
    "gpt-4o-mini": { ...GPT_4O, ends: "2027-01-14", replacement: "gpt-6-luna" },
    "gpt-4o-2024-05-13": {
      ...GPT_4O,
      output: 4096,
      structured: false,
      ends: "2026-10-23",
      replacement: "gpt-5.6-sol",
    },
    "gpt-4-turbo": { context: 128_000, output: 4096, efforts: [], ends: "2026-10-23", replacement: "gpt-5.6-sol" },
    "gpt-4": { context: 8192, output: 8192, ...BLIND, efforts: [], ends: "2026-10-23", replacement: "gpt-5.6-sol" },
    "gpt-3.5-turbo": {
      context: 16_385,
      output: 4096,
      ...BLIND,
      efforts: [],
      ends: "2026-10-23",
      replacement: "gpt-5.6-terra",
    },
  },
};

/** Since Opus 4.7: no sampling parameters, no thinking budget. */
const CLAUDE_ADAPTIVE = {
  context: 1_000_000,
  output: 128_000,
  structured: true,
  ...SEEING,
  refused: ["temperature", "top_p", "top_k"],
  adaptive: true,
} as const;
/** Since the 5.5 models: neither a forced tool nor the beginning of an answer. */
const CLAUDE_5_5 = {
  ...CLAUDE_ADAPTIVE,
  refused: [...CLAUDE_ADAPTIVE.refused, "tool_choice", "prefill"],
  efforts: FROM_LOW,
} as const;
const CLAUDE_BUDGET = { context: 200_000, output: 64_000, ...SEEING, efforts: ["none"] } as const;
const CLAUDE_4_6 = {
  context: 1_000_000,
  output: 128_000,
  structured: true,
  ...SEEING,
  efforts: ["none", "low", "medium", "high", "max"],
  thinkingTokens: [1024, 127_999],
  adaptive: true,
} as const;

export const ANTHROPIC_TABLE: CapabilityTable = {
  maker: "anthropic",
  providers: ["anthropic"],
  asOf: "2026-11-18",
  source: "Claude model overview, effort and deprecations pages (as of 2026-10-08), models.dev",
  families: {
    "claude-fable-5-1": CLAUDE_5_5,
    "claude-fable-5": { ...CLAUDE_ADAPTIVE, efforts: FROM_LOW },
    "claude-opus-5-5": CLAUDE_5_5,
    "claude-sonnet-5-5": CLAUDE_5_5,
    "claude-haiku-5-5": { ...CLAUDE_ADAPTIVE, efforts: FROM_NONE },
    "claude-opus-5": { ...CLAUDE_ADAPTIVE, efforts: FROM_NONE },
    "claude-sonnet-5": { ...CLAUDE_ADAPTIVE, efforts: FROM_NONE },
    "claude-opus-4-8": { ...CLAUDE_ADAPTIVE, efforts: FROM_NONE },
    "claude-opus-4-7": { ...CLAUDE_ADAPTIVE, efforts: FROM_NONE },
    "claude-opus-4-6": CLAUDE_4_6,
    "claude-sonnet-4-6": CLAUDE_4_6,
    "claude-opus-4-5": {
      ...CLAUDE_BUDGET,
      structured: true,
      efforts: ["none", "low", "medium", "high"],
      thinkingTokens: [1024, 63_999],
    },
    "claude-haiku-4-5": { ...CLAUDE_BUDGET, structured: true, thinkingTokens: [1024, 63_999] },
    "claude-sonnet-4-5": {
      ...CLAUDE_BUDGET,
      structured: true,
      thinkingTokens: [1024, 63_999],
      ends: "2026-11-30",
      replacement: "claude-sonnet-5-5",
    },
    "claude-opus-4-1": {
      ...CLAUDE_BUDGET,
      output: 32_000,
      structured: true,
      thinkingTokens: [1024, 31_999],
      ends: "2026-08-05",
      replacement: "claude-opus-5",
    },
    "claude-opus-4": {
      ...CLAUDE_BUDGET,
      output: 32_000,
      thinkingTokens: [1024, 31_999],
      ends: "2026-06-15",
      replacement: "claude-opus-4-8",
    },
    "claude-sonnet-4": {
      ...CLAUDE_BUDGET,
      thinkingTokens: [1024, 63_999],
      ends: "2026-06-15",
      replacement: "claude-sonnet-4-6",
    },
    "claude-3-7-sonnet": { ...CLAUDE_BUDGET, thinkingTokens: [1024, 63_999], ends: "2026-02-19" },
    "claude-3-5-haiku": { context: 200_000, output: 8192, efforts: [], ends: "2026-02-19" },
    "claude-3-5-sonnet": { context: 200_000, output: 8192, efforts: [], ends: "2025-10-28" },
    "claude-3-haiku": { context: 200_000, output: 4096, efforts: [], ends: "2026-04-20" },
    "claude-3-opus": { context: 200_000, output: 4096, efforts: [], ends: "2026-01-05" },
    "claude-3-sonnet": { context: 200_000, output: 4096, efforts: [], ends: "2025-07-21" },
  },
};

const GEMINI = { context: 1_048_576, output: 65_536, structured: true, ...SEEING } as const;

export const GOOGLE_TABLE: CapabilityTable = {
  maker: "google",
  providers: ["google", "gemini"],
  asOf: "2026-11-18",
  source: "Gemini API model, thinking and deprecations pages (as of 2026-11-10), models.dev",
  families: {
    "gemini-3.8-flash": { ...GEMINI, efforts: ["low", "medium", "high"] },
    "gemini-3.7-flash": GEMINI,
    "gemini-3.6-flash": GEMINI,
    "gemini-3.5-flash": { ...GEMINI, efforts: ["minimal", "low", "medium", "high"] },
    "gemini-3.5-flash-lite": { ...GEMINI, efforts: ["minimal", "low", "medium", "high"] },
    "gemini-3.1-flash-lite": { ...GEMINI, efforts: ["minimal", "low", "medium", "high"] },
    "gemini-3.1-pro-preview": { ...GEMINI, efforts: ["low", "medium", "high"] },
    "gemini-3-flash-preview": { ...GEMINI, efforts: ["minimal", "low", "medium", "high"] },
    "gemini-3-pro-preview": {
      ...GEMINI,
      efforts: ["low", "high"],
      ends: "2026-03-09",
      replacement: "gemini-3.1-pro-preview",
    },
    "gemini-2.5-pro": {
      ...GEMINI,
      efforts: [],
      thinkingTokens: [128, 32_768],
      ends: "2026-12-01",
      replacement: "gemini-3.8-flash",
    },
    "gemini-2.5-flash": {
      ...GEMINI,
      efforts: ["none"],
      thinkingTokens: [1, 24_576],
      ends: "2026-12-01",
      replacement: "gemini-3.5-flash-lite",
    },
    "gemini-2.5-flash-lite": { ...GEMINI, efforts: ["none"], thinkingTokens: [512, 24_576] },
    "gemini-2.0-flash": { ...GEMINI, output: 8192, efforts: [], ends: "2026-06-01" },
    "gemini-2.0-flash-lite": { ...GEMINI, output: 8192, efforts: [], ends: "2026-06-01" },
  },
};

export const DEEPSEEK_TABLE: CapabilityTable = {
  maker: "deepseek",
  providers: ["deepseek"],
  asOf: "2026-11-18",
  source: "DeepSeek V4 release notes (as of 2026-06-22)",
  families: {
    "deepseek-v4-flash": { context: 1_048_576, output: 384_000 },
    "deepseek-v4-pro": { context: 1_048_576, output: 384_000 },
    "deepseek-chat": { ends: "2026-07-24", replacement: "deepseek-v4-flash" },
    "deepseek-reasoner": { ends: "2026-07-24", replacement: "deepseek-v4-flash" },
  },
};
