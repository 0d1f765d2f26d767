import { type Fields, fieldsOf, jsonText, textOf } from "./answer-base.js";
import type { ProviderError } from "./dialect.js";

/**
 * Reads the error in a body. Shared by all dialects, because compatible servers use each other's formats: an `error`
 * object or string, a top-level `message`, FastAPI's `detail`, or a list of one of them.
 * @example
 * parseProviderError({ error: { message: "no such model", type: "not_found" } }); // { message: "no such model", type: "not_found" }
 */
export function providerErrorIn(body: unknown): ProviderError | null {
  const fields = fieldsOf(Array.isArray(body) ? body[0] : body);
  if (fields === null) return null;
  const inner = fieldsOf(fields.error);
  if (inner !== null) return errorOf(inner) ?? { message: jsonText(inner) || "unreadable error", type: null };
  const message = textOf(fields.error) || textOf(fields.message) || textOf(fields.detail);
  return message === "" ? null : { message, type: typeOf(fields) };
}

/** Reads the `error` field of an answer; null if absent. */
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
