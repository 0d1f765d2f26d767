/** An unchecked JSON object. */
export type MockJson = Readonly<Record<string, unknown>>;

/** Returns an empty object for anything else, so that missing fields need no checks. */
export function toObject(value: unknown): MockJson {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as MockJson) : {};
}

export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

export function toTextOrEmpty(value: unknown): string {
  return typeof value === "string" ? value : "";
}

export function toNumber(value: unknown): number | null {
  return typeof value === "number" && Number.isFinite(value) ? value : null;
}
