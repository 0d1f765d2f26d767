/** Headers and fields of a query that hold no secret. What is not among them may: nobody can list all that do. */
const HARMLESS = new Set([
  "accept",
  "accept-charset",
  "accept-encoding",
  "accept-language",
  "alt",
  "anthropic-beta",
  "anthropic-version",
  "api-version",
  "cache-control",
  "connection",
  "content-length",
  "content-type",
  "deployment",
  "environment",
  "experiment",
  "feature",
  "format",
  "host",
  "http-referer",
  "location",
  "model",
  "openai-beta",
  "openai-organization",
  "openai-project",
  "origin",
  "priority",
  "referer",
  "region",
  "route",
  "service-tier",
  "stream",
  "team",
  "timeout",
  "title",
  "user-agent",
  "variant",
  "version",
]);

/**
 * Whether a header or a field of a query may be stored and shown, by its name. All others are taken for secrets.
 * @example
 * isHarmlessName("X-Team"); // true
 * isHarmlessName("X-Signature"); // false
 */
export function isHarmlessName(name: string): boolean {
  return HARMLESS.has(name.toLowerCase().replace(/^x-/, ""));
}

const KEY_NAME = /auth|key|token|secret|cookie|password|credential|signature|jwt|assertion|session/;

/** Whether a name says that its value is a key, which may be another one tomorrow while the work stays the same. */
export function isKeyName(name: string): boolean {
  return KEY_NAME.test(name.toLowerCase());
}

/** A part of a path that nobody would choose for a name. */
const SECRET_PART = /^[0-9a-f]{32,}$/i;

/** The parts of a URL's path that are secrets, such as the one that `assay gateway` puts there. */
export function secretsInPath(url: string): string[] {
  return new URL(url).pathname.split("/").filter((part) => SECRET_PART.test(part));
}
