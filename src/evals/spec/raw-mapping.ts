/** A mapping of a file, before it is checked. */
export type RawMapping = Readonly<Record<string, unknown>>;

export function isRawMapping(value: unknown): value is RawMapping {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
