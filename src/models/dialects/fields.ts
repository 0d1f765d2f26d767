/** The fields of a JSON object. */
export type Fields = Readonly<Record<string, unknown>>;

const NONE: readonly unknown[] = Object.freeze([]);

/** The fields of an object; null for anything else, arrays included. */
export function fieldsOf(value: unknown): Fields | null {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Fields) : null;
}

/** A text, "" for anything else. */
export function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

/** A value as JSON, "" when it is nested too deep to be written. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "";
  }
}

/** A list, empty for anything else. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : NONE;
}
