import { BudgetError, describeValue, didYouMean, EFFORT_NAMES, getErrorMessage, parseEffort } from "../core/index.js";
import type { JsonSchema } from "../utils/index.js";

/** Returns what is wrong with a value, as the end of a sentence that starts with its name; null when it is valid. */
export type ValueRule = (value: unknown) => string | null;

/** Node's timers fire immediately above this limit. */
const MAX_TIMER_SECS = 2_147_483;

/** Far above any real amount, and still representable in pico-dollars. */
const MAX_AMOUNT = 1e15;

/** All sums are kept in pico-dollars. */
export const PICO_PER_DOLLAR = 1e12;

/** Converts a price per 1,000 tokens to pico-dollars per token. */
export const PICO_PER_1K = 1e9;

/** A finite, non-negative number, such as dollars or seconds. */
export function checkAmount(value: unknown): string | null {
  if (value === undefined) return "is missing";
  if (value === null) return "has no value: give it one, or remove the line";
  if (typeof value !== "number") return `must be a number, not ${describeValue(value)}`;
  if (!Number.isFinite(value)) return `must be a finite number, not ${value}`;
  if (value > MAX_AMOUNT) return `must be at most ${MAX_AMOUNT}, but is ${value}`;
  return value < 0 ? `must not be negative, but is ${value}` : null;
}

function checkTokenPrice(value: unknown): string | null {
  const problem = checkAmount(value);
  if (problem !== null) return problem;
  const pico = Math.round(Number(value) * PICO_PER_1K);
  if (!Number.isSafeInteger(pico)) return `is too large (${String(value)}): give dollars per 1,000 tokens`;
  // Rounded to 0 it would count as free, and no limit could take effect.
  if (pico === 0 && value !== 0) return `is too small (${String(value)}): give dollars per 1,000 tokens`;
  return null;
}

function checkTokenCount(value: unknown): string | null {
  const problem = checkAmount(value);
  if (problem !== null) return problem;
  if (Number.isSafeInteger(value) && value !== 0) return null;
  return `must be a whole number of at least 1, but is ${String(value)}: leave it out for no limit`;
}

function checkTimeoutSecs(value: unknown): string | null {
  const problem = checkAmount(value);
  if (problem !== null) return problem;
  if (value === 0) return "must be above 0: the timeout cannot be turned off";
  if (Number(value) <= MAX_TIMER_SECS) return null;
  return `must be at most ${MAX_TIMER_SECS} (24 days), but is ${String(value)}`;
}

export const PRICING_RULES = {
  /** Dollars for 1,000 input tokens. */
  input_per_1k: checkTokenPrice,
  /** Dollars for 1,000 output tokens. */
  output_per_1k: checkTokenPrice,
  /** Dollars for 1,000 tokens read from the prompt cache. Default: the input price. */
  cache_read_per_1k: checkTokenPrice,
  /** Dollars for 1,000 tokens written to the prompt cache. Default: the input price. */
  cache_write_per_1k: checkTokenPrice,
  /** Dollars for 1,000 tokens written to the prompt cache for one hour. Default: the cache write price. */
  cache_write_1h_per_1k: checkTokenPrice,
} as const satisfies Record<string, ValueRule>;

export const BUDGET_RULES = {
  /** The most that one trial may cost, in dollars; 0 for no limit. Default: worked out from the price. */
  max_cost_usd: checkAmount,
  /** The most tokens of one trial, input and output together. Default: no limit. */
  max_tokens: checkTokenCount,
  /** A trial is stopped after this many seconds. Default: 600. */
  hard_timeout_secs: checkTimeoutSecs,
  /** Seconds to the first token that are expected; slower trials are reported. */
  expected_ttft_secs: checkAmount,
  /** Seconds to the whole answer that are expected; slower trials are reported. */
  expected_ttf_solution_secs: checkAmount,
} as const satisfies Record<string, ValueRule>;

/** Throws a BudgetError that names the value when the rule is violated. */
export function requireRule(name: string, value: unknown, rule: ValueRule): void {
  const problem = rule(value);
  if (problem !== null) throw new BudgetError(`${name} ${problem}.`);
}

/** Checks every given value; null counts as not given. */
export function requireRules(section: string, values: object, rules: Readonly<Record<string, ValueRule>>): void {
  for (const [key, value] of Object.entries(values) as [string, unknown][]) {
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    if (rule !== undefined && value != null) requireRule(`${section}.${key}`, value, rule);
  }
}

/** The supported agents. */
export const AGENT_NAMES = ["claude", "codex", "copilot", "gemini", "opencode", "pi", "qwen"] as const;

/** Agents that are run by a command, which ships with Assay: they print text, and the gateway sees their work. */
export const COMMAND_AGENT_NAMES = ["agy", "aider", "crush", "droid", "goose"] as const;

/** All agents that have a name. */
export const ALL_AGENT_NAMES = [...AGENT_NAMES, ...COMMAND_AGENT_NAMES] as const;

/** Prefixes of keys that a variable name could also begin with. */
const KEY_PREFIX = /^(?:sk_|gsk_|hf_|fw_|r8_|tgp_|AIza)/;

function checkModelText(value: unknown): string | null {
  if (value === null) return "has no value: give it one, or remove the line";
  if (typeof value !== "string") return `must be text, not ${describeValue(value)}: put it in quotes`;
  return value.trim() === "" ? "is empty: give it a value, or remove the line" : null;
}

/** Never shows the value, which may be a key. */
function checkVariableName(value: unknown): string | null {
  if (typeof value === "string" && /^[A-Za-z_]\w*$/.test(value) && !isLikelyKey(value)) return null;
  return "must be the name of an environment variable, such as OPENAI_API_KEY, and not the key itself: keep keys out of this file";
}

/** Variable names are words; keys are long and mix cases and digits. */
function isLikelyKey(value: string): boolean {
  if (KEY_PREFIX.test(value)) return true;
  return value.length >= 20 && /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value);
}

function checkHttpUrl(value: unknown): string | null {
  const problem = checkModelText(value);
  if (problem !== null) return problem;
  const url = URL.canParse(String(value)) ? new URL(String(value)) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.hostname === "")
    return "must be an http or https URL, such as https://api.openai.com/v1";
  if (url.username === "" && url.password === "") return null;
  return "must not contain a user name or a password: name the environment variable with the key in api_key_env";
}

function checkAgentCli(value: unknown): string | null {
  const problem = checkModelText(value);
  if (problem !== null) return problem;
  if ((ALL_AGENT_NAMES as readonly unknown[]).includes(value)) return null;
  return `is "${String(value)}", which is not a supported agent.${didYouMean(String(value), ALL_AGENT_NAMES)}`.replace(
    /\.$/,
    "",
  );
}

function checkEffort(value: unknown): string | null {
  if (value === null) return "has no value: give it one, or remove the line";
  try {
    parseEffort(value, "it");
    return null;
  } catch (error) {
    return getErrorMessage(error).replace(/^it /, "").replace(/\.$/, "");
  }
}

export const MODEL_RULES = {
  /** The name of the model in requests. Default: its name in this file. */
  api_name: checkModelText,
  /** The provider, such as openai: it decides the default base URL, the API key variable and the price. */
  provider: checkModelText,
  /** The URL that requests go to, such as https://api.openai.com/v1. Default: the provider's. */
  base_url: checkHttpUrl,
  /** The environment variable that holds the API key. Default: the provider's. */
  api_key_env: checkVariableName,
  /** The coding agent that runs this model. */
  agent_cli: checkAgentCli,
  /** What the coding agent calls the model. Default: api_name. */
  agent_model_name: checkModelText,
  /** How much the model thinks: none, minimal, low, medium, high, xhigh, max, or a number of thinking tokens. Default: the model's own. */
  effort: checkEffort,
} as const satisfies Record<string, ValueRule>;

/** The JSON Schema of each rule, for editors. */
export const RULE_SCHEMAS: ReadonlyMap<ValueRule, JsonSchema> = new Map<ValueRule, JsonSchema>([
  [checkAmount, { type: "number", minimum: 0, maximum: MAX_AMOUNT }],
  [checkTokenPrice, { type: "number", minimum: 0 }],
  [checkTokenCount, { type: "integer", minimum: 1 }],
  [checkTimeoutSecs, { type: "number", exclusiveMinimum: 0, maximum: MAX_TIMER_SECS }],
  [checkModelText, { type: "string", pattern: "\\S" }],
  [checkVariableName, { type: "string", pattern: "^[A-Za-z_]\\w*$" }],
  [checkHttpUrl, { type: "string", pattern: "^[Hh][Tt][Tt][Pp][Ss]?:" }],
  [checkAgentCli, { enum: ALL_AGENT_NAMES }],
  [checkEffort, { anyOf: [{ enum: EFFORT_NAMES }, { type: "integer", minimum: 1 }] }],
]);
