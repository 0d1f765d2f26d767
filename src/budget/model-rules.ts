import { describe } from "../core/shape.js";
import { didYouMean } from "../core/suggest.js";
import type { Rule } from "./rules.js";

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
  api_name: text,
  provider: text,
  base_url: httpUrl,
  api_key_env: variableName,
  agent_cli: agentCli,
  agent_model_name: text,
} as const satisfies Record<string, Rule>;
