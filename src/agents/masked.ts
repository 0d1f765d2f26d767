/** Stands where a key stood. */
const MASK = "[key]";

/** Shorter ones would take ordinary words with them. */
const SHORTEST_KEY = 8;

/**
 * A value without the keys in its texts. An agent is given none, but can find them, and what it prints is stored.
 * @example
 * withoutKeys({ text: "it is sk-12345678" }, ["sk-12345678"]); // { text: "it is [key]" }
 */
export function withoutKeys<T>(value: T, keys: readonly string[]): T {
  const secrets = keys.filter((key) => key.length >= SHORTEST_KEY);
  return secrets.length === 0 ? value : (masked(value, secrets) as T);
}

function masked(value: unknown, secrets: readonly string[]): unknown {
  if (typeof value === "string") return secrets.reduce((text, key) => text.replaceAll(key, MASK), value);
  if (Array.isArray(value)) return value.map((each) => masked(each, secrets));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, masked(each, secrets)]));
}
