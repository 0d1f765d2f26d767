import type { IncomingMessage } from "node:http";
import { keysInQuery } from "./query.js";
import type { Upstream } from "./upstream.js";

/** Shorter ones are placeholders, and words such as "none" stand in many messages. */
export const SHORTEST_SECRET = 6;

/** What the keys of well-known providers look like, also when somebody has starred out their middle. */
const KEY_LIKE = /\b(?:(?:sk|rk|pk|gsk|xai)[-_]|AIza)[-_*A-Za-z0-9]{12,}/g;

const LONGEST_MESSAGE = 300;

/** What an error says, in short and without keys: some endpoints repeat the key that they do not like. */
export function shortMessage(text: string, secrets: readonly string[]): string {
  const clean = secrets
    .reduce((left, secret) => left.replaceAll(secret, "[secret]"), text)
    .replace(KEY_LIKE, "[secret]");
  const line = clean.replace(/\s+/g, " ").trim();
  return line.length <= LONGEST_MESSAGE ? line : `${line.slice(0, LONGEST_MESSAGE - 1)}…`;
}

/** The keys that a request came with, the one it goes on with, and the secret of its address. */
export function secretsOf({ headers, url = "" }: IncomingMessage, { provider, key }: Upstream): string[] {
  const sent = provider.keyHeaders.map((name) => String(headers[name] ?? "").replace(/^Bearer\s+/i, ""));
  const [, ofAddress = ""] = url.split("/", 2);
  return [key ?? "", ...sent, ...keysInQuery(url), ofAddress]
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
}
