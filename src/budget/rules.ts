import { BudgetError } from "../core/errors.js";
import { describe } from "../core/shape.js";
import { didYouMean } from "../core/suggest.js";
import type { JsonSchema } from "../utils/json-schema.js";

/** Says what is wrong with a value, as the end of a sentence that starts with its name; null when nothing is. */
export type Rule = (value: unknown) => string | null;

/** Above this Node's timers fire at once instead of waiting. */
const LONGEST_TIMER_SECS = 2_147_483;

/** No amount of anything measured here comes near it, and in pico-dollars it is still a number. */
const LARGEST_AMOUNT = 1e15;

/** A dollar in the unit all sums are kept in. */
export const PICO_PER_DOLLAR = 1e12;

/** From the price of a thousand tokens to pico-dollars a token. */
export const PICO_PER_1K = 1e9;

/** A number of dollars, seconds or the like: finite and not negative. */
export function amount(value: unknown): string | null {
  if (value === undefined) return "is missing";
  if (value === null) return "has no value: give it one, or remove the line";
  if (typeof value !== "number") return `must be a number, not ${describe(value)}`;
  if (!Number.isFinite(value)) return `must be a finite number, not ${value}`;
  if (value > LARGEST_AMOUNT) return `must be at most ${LARGEST_AMOUNT}, but is ${value}`;
  return value < 0 ? `must not be negative, but is ${value}` : null;
}

function tokenPrice(value: unknown): string | null {
  const problem = amount(value);
  if (problem !== null) return problem;
  const pico = Math.round(Number(value) * PICO_PER_1K);
  if (!Number.isSafeInteger(pico)) return `is too large (${String(value)}): give dollars for a thousand tokens`;
  // Rounded to 0 it would pass for free, and no limit could ever fire.
  if (pico === 0 && value !== 0) return `is too small (${String(value)}): give dollars for a thousand tokens`;
  return null;
}

function tokenCount(value: unknown): string | null {
  const problem = amount(value);
  if (problem !== null) return problem;
  if (Number.isSafeInteger(value) && value !== 0) return null;
  return `must be a whole number of at least 1, but is ${String(value)}: leave it out for no limit`;
}

function timeout(value: unknown): string | null {
  const problem = amount(value);
  if (problem !== null) return problem;
  if (value === 0) return "must be above 0: it is the safety net, and cannot be turned off";
  if (Number(value) <= LONGEST_TIMER_SECS) return null;
  return `must be at most ${LONGEST_TIMER_SECS} (24 days), but is ${String(value)}`;
}

/** What each price of `pricing` must be. */
export const PRICING_RULES = {
  /** Dollars for 1,000 input tokens. */
  input_per_1k: tokenPrice,
  /** Dollars for 1,000 output tokens. */
  output_per_1k: tokenPrice,
  /** Dollars for 1,000 tokens read from the prompt cache. Default: the input price. */
  cache_read_per_1k: tokenPrice,
  /** Dollars for 1,000 tokens written to the prompt cache. Default: the input price. */
  cache_write_per_1k: tokenPrice,
  /** Dollars for 1,000 tokens written to the prompt cache for one hour. Default: the cache write price. */
  cache_write_1h_per_1k: tokenPrice,
} as const satisfies Record<string, Rule>;

/** What each limit of `budgets` must be. */
export const BUDGET_RULES = {
  /** The most that one trial may cost, in dollars; 0 for no limit. Default: worked out from the price. */
  max_cost_usd: amount,
  /** The most tokens of one trial, input and output together. Default: no limit. */
  max_tokens: tokenCount,
  /** A trial is stopped after this many seconds. Default: 600. */
  hard_timeout_secs: timeout,
  /** Seconds to the first token that are expected; slower trials are reported. */
  expected_ttft_secs: amount,
  /** Seconds to the whole answer that are expected; slower trials are reported. */
  expected_ttf_solution_secs: amount,
} as const satisfies Record<string, Rule>;

/** Throws a BudgetError that names the value, unless the rule is kept. */
export function requireRule(name: string, value: unknown, rule: Rule): void {
  const problem = rule(value);
  if (problem !== null) throw new BudgetError(`${name} ${problem}.`);
}

/** The same for every value that is given; null counts as not given. */
export function requireRules(section: string, values: object, rules: Readonly<Record<string, Rule>>): void {
  for (const [key, value] of Object.entries(values) as [string, unknown][]) {
    const rule = Object.hasOwn(rules, key) ? rules[key] : undefined;
    if (rule !== undefined && value != null) requireRule(`${section}.${key}`, value, rule);
  }
}

/** The agents that are known by name, in models.yml and everywhere else. */
export const AGENT_NAMES = ["claude", "codex", "gemini", "opencode", "pi"] as const;

/** How keys begin, as far as a variable's name could begin so too. */
const KEY_PREFIX = /^(?:sk_|gsk_|hf_|fw_|r8_|tgp_|AIza)/;

function text(value: unknown): string | null {
  if (value === null) return "has no value: give it one, or remove the line";
  if (typeof value !== "string") return `must be text, not ${describe(value)}: put it in quotes`;
  return value.trim() === "" ? "is empty: give it a value, or remove the line" : null;
}

/** Never shows the value: it may be a key. */
function variableName(value: unknown): string | null {
  if (typeof value === "string" && /^[A-Za-z_]\w*$/.test(value) && !looksLikeKey(value)) return null;
  return "must be the name of an environment variable, such as OPENAI_API_KEY, and not the key itself: keep keys out of this file";
}

/** Names of variables are words; keys mix cases and digits and are long. */
function looksLikeKey(value: string): boolean {
  if (KEY_PREFIX.test(value)) return true;
  return value.length >= 20 && /[a-z]/.test(value) && /[A-Z]/.test(value) && /\d/.test(value);
}

function httpUrl(value: unknown): string | null {
  const problem = text(value);
  if (problem !== null) return problem;
  const url = URL.canParse(String(value)) ? new URL(String(value)) : null;
  if (url === null || !["http:", "https:"].includes(url.protocol) || url.hostname === "")
    return "must be an http or https URL, such as https://api.openai.com/v1";
  if (url.username === "" && url.password === "") return null;
  return "must not hold a user name or a password: name the variable that holds the key with api_key_env";
}

function agentCli(value: unknown): string | null {
  const problem = text(value);
  if (problem !== null) return problem;
  if ((AGENT_NAMES as readonly unknown[]).includes(value)) return null;
  return `is "${String(value)}", which is not known.${didYouMean(String(value), AGENT_NAMES)}`.replace(/\.$/, "");
}

/** What each text of a model must be. */
export const MODEL_RULES = {
  /** The name of the model in requests. Default: its name in this file. */
  api_name: text,
  /** The provider, such as openai: it decides the default base URL, the API key variable and the price. */
  provider: text,
  /** The URL that requests go to, such as https://api.openai.com/v1. Default: the provider's. */
  base_url: httpUrl,
  /** The environment variable that holds the API key. Default: the provider's. */
  api_key_env: variableName,
  /** The coding agent that runs this model. */
  agent_cli: agentCli,
  /** What the coding agent calls the model. Default: api_name. */
  agent_model_name: text,
} as const satisfies Record<string, Rule>;

/** What JSON Schema can say of each rule, for editors. */
export const RULE_SCHEMAS: ReadonlyMap<Rule, JsonSchema> = new Map<Rule, JsonSchema>([
  [amount, { type: "number", minimum: 0, maximum: LARGEST_AMOUNT }],
  [tokenPrice, { type: "number", minimum: 0 }],
  [tokenCount, { type: "integer", minimum: 1 }],
  [timeout, { type: "number", exclusiveMinimum: 0, maximum: LONGEST_TIMER_SECS }],
  [text, { type: "string", pattern: "\\S" }],
  [variableName, { type: "string", pattern: "^[A-Za-z_]\\w*$" }],
  [httpUrl, { type: "string", pattern: "^[Hh][Tt][Tt][Pp][Ss]?:" }],
  [agentCli, { enum: AGENT_NAMES }],
]);
