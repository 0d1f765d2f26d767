/**
 * Normalizes and decodes a path, because clients (and attackers) spell one path in many ways that servers treat as equal.
 * Escapes are decoded once, a backslash counts as a slash, empty and dot segments are removed; the root is "".
 * @example
 * normalizePath("/chat//%63ompletions/"); // "/chat/completions"
 */
export function normalizePath(raw: string): string {
  const kept: string[] = [];
  for (const segment of raw.split("/").map(decodeUrlPath).join("/").split(/[/\\]/)) {
    if (segment === "..") kept.pop();
    else if (segment !== "" && segment !== ".") kept.push(segment);
  }
  return kept.map((segment) => `/${segment}`).join("");
}

/** Encodes a decoded path for sending. */
export function encodePath(path: string): string {
  return encodeURI(path).replace(/[?#]/g, encodeURIComponent);
}

/** Returns the text unchanged when its escapes are invalid. */
function decodeUrlPath(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Removes the query, which may contain keys. */
export function stripPathQuery(path: string): string {
  const query = path.indexOf("?");
  return query === -1 ? path : path.slice(0, query);
}

/** Query fields that carry a key at Google. */
const KEY_FIELDS = new Set(["key", "access_token"]);

export function listQueryKeys(path: string): string[] {
  return splitQueryFields(path)
    .filter(isKeyField)
    .map((field) => decodeUrlPath(field.slice(field.indexOf("=") + 1)));
}

/** Removes the keys from the query and leaves every other byte unchanged. */
export function stripQueryKeys(path: string): string {
  if (!splitQueryFields(path).some(isKeyField)) return path;
  const kept = splitQueryFields(path).filter((field) => !isKeyField(field));
  return kept.length === 0 ? stripPathQuery(path) : `${stripPathQuery(path)}?${kept.join("&")}`;
}

export function hasQueryField(query: string, field: string, value: string): boolean {
  return splitQueryFields(query).some((each) => decodeUrlPath(each) === `${field}=${value}`);
}

function splitQueryFields(path: string): string[] {
  const bare = stripPathQuery(path);
  return bare === path ? [] : path.slice(bare.length + 1).split("&");
}

function isKeyField(field: string): boolean {
  return KEY_FIELDS.has(decodeUrlPath(field.split("=", 1)[0] ?? ""));
}
