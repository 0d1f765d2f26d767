/** Header and query names that never hold secrets. An allow list, because secret names cannot be enumerated. */
const NON_SECRET_NAMES = new Set([
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
 * Whether a header or query parameter may be stored and shown. Everything else is treated as a secret.
 * @example
 * isNonSecretName("X-Team"); // true
 * isNonSecretName("X-Signature"); // false
 */
export function isNonSecretName(name: string): boolean {
  return NON_SECRET_NAMES.has(name.toLowerCase().replace(/^x-/, ""));
}

const CREDENTIAL_NAME = /auth|key|token|secret|cookie|password|credential|signature|jwt|assertion|session/;

/** Whether the name suggests a credential, which may be rotated without changing the work. */
export function isCredentialName(name: string): boolean {
  return CREDENTIAL_NAME.test(name.toLowerCase());
}

/** A long hexadecimal segment is a token, not a readable name. */
const SECRET_PATH_SEGMENT = /^[0-9a-f]{32,}$/i;

/** The secret segments of a URL's path, such as the one in the address of `assay gateway`. */
export function findSecretsInPath(url: string): string[] {
  return new URL(url).pathname.split("/").filter((part) => SECRET_PATH_SEGMENT.test(part));
}

/** The format of well-known providers' keys, also with a masked middle. */
const KEY_LIKE = /\b(?:(?:sk|rk|pk|gsk|xai)[-_]|AIza)[-_*A-Za-z0-9]{12,}/g;

/** Replaces everything that looks like a key. */
export function maskKeyLike(text: string): string {
  return text.replace(KEY_LIKE, "[secret]");
}
