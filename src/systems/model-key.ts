import { createHash } from "node:crypto";
import { UsageError } from "../core/errors.js";
import { isHarmlessName, isKeyName } from "../core/harmless-name.js";

export interface KeySource {
  /** The key itself; null when the endpoint needs none. */
  readonly apiKey?: string | null;
  /** The environment variable that holds it. */
  readonly apiKeyEnv?: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A key, and how messages speak of it. */
export interface ApiKey {
  readonly value: string | null;
  /** Such as "the key in OPENAI_API_KEY". */
  readonly label: string;
}

/** The key of an endpoint, read once; says which variable is missing. */
export function resolveKey({ apiKey, apiKeyEnv, env }: KeySource): ApiKey {
  if (apiKey === null) return { value: null, label: "no key" };
  if (apiKey !== undefined) return { value: requireSendable(apiKey, "apiKey"), label: "the key given as apiKey" };
  if (apiKeyEnv === undefined) return { value: null, label: "no key" };
  const value = env[apiKeyEnv];
  if (value === undefined || value.trim() === "") {
    throw new UsageError(`The environment variable ${apiKeyEnv} is not set. Put the key of the endpoint in it.`);
  }
  return { value: requireSendable(value, apiKeyEnv), label: `the key in ${apiKeyEnv}` };
}

/** A key read from a file often ends with a line feed. */
function requireSendable(key: string, where: string): string {
  const trimmed = key.trim();
  if (/^[\x21-\x7e]+$/.test(trimmed)) return trimmed;
  throw new UsageError(
    `The key in ${where} is empty or holds spaces, line breaks or other characters that no key has. Copy it again.`,
  );
}

/** Shorter ones are placeholders, and words such as "none" stand in many messages. */
const SHORTEST_SECRET = 6;
/** Of a header that is not known: a shorter value may be a word that answers have, too. */
const SHORTEST_UNKNOWN = 16;

function secretWords(name: string, value: string): string[] {
  if (isHarmlessName(name)) return [];
  const words = [value, ...value.split(/[\s;,=]+/)];
  return isKeyName(name) ? words : words.filter(({ length }) => length >= SHORTEST_UNKNOWN);
}

/** What must not be shown of a system: its key, and what its headers and its URL hold of that kind. */
export class Secrets {
  readonly #values: readonly string[];

  constructor(
    key: string | null,
    named: Iterable<readonly [name: string, value: string]>,
    others: readonly string[] = [],
  ) {
    const words = Array.from(named).flatMap(([name, value]) => secretWords(name, value));
    const all = [...(key === null ? [] : [key]), ...words, ...others].filter(({ length }) => length >= SHORTEST_SECRET);
    this.#values = [...new Set(all)].sort((a, b) => b.length - a.length);
  }

  /** True when there is one. */
  get exist(): boolean {
    return this.#values.length > 0;
  }

  /** A text without them: some endpoints repeat the key, in errors and in answers. */
  scrub(text: string): string {
    return this.#values.reduce((clean, secret) => clean.replaceAll(secret, "[secret]"), text);
  }

  /** Tells accounts apart without naming them; "" when there is no secret. */
  get mark(): string {
    if (!this.exist) return "";
    return createHash("sha256").update(this.#values.join("\n")).digest("hex").slice(0, 8);
  }
}
