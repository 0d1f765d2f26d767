import { type Fields, fieldsOf, jsonText, textOf } from "./answer-base.js";
import type { ProviderError } from "./dialect.js";

/**
 * The error a body holds. One reader for all dialects, because compatible servers answer in each other's shapes: an
 * `error` that is an object or a text, a `message` at the top, FastAPI's `detail`, a list with one of them in it.
 * @example
 * providerErrorIn({ error: { message: "no such model", type: "not_found" } }); // { message: "no such model", type: "not_found" }
 */
export function providerErrorIn(body: unknown): ProviderError | null {
  const fields = fieldsOf(Array.isArray(body) ? body[0] : body);
  if (fields === null) return null;
  const inner = fieldsOf(fields.error);
  if (inner !== null)
    return errorOf(inner) ?? { message: jsonText(inner) || "an error that cannot be read", type: null };
  const message = textOf(fields.error) || textOf(fields.message) || textOf(fields.detail);
  return message === "" ? null : { message, type: typeOf(fields) };
}

/** The error that an `error` field inside an answer holds; null when there is none. */
export function errorField(error: unknown): ProviderError | null {
  return error === undefined || error === null ? null : providerErrorIn({ error });
}

function errorOf(fields: Fields): ProviderError | null {
  const message = textOf(fields.message) || textOf(fields.detail);
  return message === "" ? null : { message, type: typeOf(fields) };
}

function typeOf({ type, status, code }: Fields): string | null {
  for (const word of [type, status, code]) {
    if (typeof word === "string" && word !== "" && word !== "error") return word;
  }
  return typeof code === "number" ? String(code) : null;
}
