/**
 * The one spelling of a path, decoded: clients, and whoever wants to get past a table of paths, spell one in many ways,
 * and servers take most of them for the same. Escapes are read once, a backslash counts as a slash, empty and dot
 * segments are gone; the root is "".
 * @example
 * normalizePath("/chat//%63ompletions/"); // "/chat/completions"
 */
export function normalizePath(raw: string): string {
  const kept: string[] = [];
  for (const segment of raw.split("/").map(decode).join("/").split(/[/\\]/)) {
    if (segment === "..") kept.pop();
    else if (segment !== "" && segment !== ".") kept.push(segment);
  }
  return kept.map((segment) => `/${segment}`).join("");
}

/** A decoded path as it is sent. */
export function encodePath(path: string): string {
  return encodeURI(path).replace(/[?#]/g, encodeURIComponent);
}

/** A text without its escapes; as it is when they make no sense. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The path alone: queries may hold keys. */
export function withoutQuery(path: string): string {
  const query = path.indexOf("?");
  return query === -1 ? path : path.slice(0, query);
}

/** The fields of a query that carry a key, at Google. */
const KEY_FIELDS = new Set(["key", "access_token"]);

/** The keys in the query of a path. */
export function keysInQuery(path: string): string[] {
  return fieldsOf(path)
    .filter(isKeyField)
    .map((field) => decode(field.slice(field.indexOf("=") + 1)));
}

/** The same path without keys, every other byte as it was. */
export function withoutKeys(path: string): string {
  if (!fieldsOf(path).some(isKeyField)) return path;
  const kept = fieldsOf(path).filter((field) => !isKeyField(field));
  return kept.length === 0 ? withoutQuery(path) : `${withoutQuery(path)}?${kept.join("&")}`;
}

/** True when a query holds this field with this value. */
export function hasField(query: string, field: string, value: string): boolean {
  return fieldsOf(query).some((each) => decode(each) === `${field}=${value}`);
}

function fieldsOf(path: string): string[] {
  const bare = withoutQuery(path);
  return bare === path ? [] : path.slice(bare.length + 1).split("&");
}

function isKeyField(field: string): boolean {
  return KEY_FIELDS.has(decode(field.split("=", 1)[0] ?? ""));
}
