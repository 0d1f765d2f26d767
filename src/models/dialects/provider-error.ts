import { type JsonFields, readJsonObject, readJsonString, toJsonText } from "./answer-base.js";
import type { ProviderError } from "./dialect.js";

/**
 * Reads the error in a body. Shared by all dialects, because compatible servers use each other's formats: an `error`
 * object or string, a top-level `message`, FastAPI's `detail`, or a list of one of them.
 * @example
 * parseProviderError({ error: { message: "no such model", type: "not_found" } }); // { message: "no such model", type: "not_found" }
 */
export function parseProviderError(body: unknown): ProviderError | null {
  const fields = readJsonObject(Array.isArray(body) ? body[0] : body);
  if (fields === null) return null;
  const inner = readJsonObject(fields.error);
  if (inner !== null)
    return parseErrorObject(inner) ?? { message: toJsonText(inner) || "unreadable error", type: null };
  const message = readJsonString(fields.error) || readJsonString(fields.message) || readJsonString(fields.detail);
  return message === "" ? null : { message, type: readErrorType(fields) };
}

/** Reads the `error` field of an answer; null if absent. */
export function parseErrorField(error: unknown): ProviderError | null {
  return error === undefined || error === null ? null : parseProviderError({ error });
}

function parseErrorObject(fields: JsonFields): ProviderError | null {
  const message = readJsonString(fields.message) || readJsonString(fields.detail);
  return message === "" ? null : { message, type: readErrorType(fields) };
}

function readErrorType({ type, status, code }: JsonFields): string | null {
  for (const word of [type, status, code]) {
    if (typeof word === "string" && word !== "" && word !== "error") return word;
  }
  return typeof code === "number" ? String(code) : null;
}
