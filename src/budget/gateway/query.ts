import { decode } from "./path.js";

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
