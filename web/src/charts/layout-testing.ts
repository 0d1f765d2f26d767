/** Lists values in a layout that cannot be drawn, such as NaN, each with its path. */
export function findUnusableValues(value: unknown, path = "layout"): string[] {
  if (typeof value === "number") return Number.isFinite(value) ? [] : [`${path}: ${value}`];
  if (typeof value === "string") return /\b(NaN|undefined|Infinity)\b/.test(value) ? [`${path}: ${value}`] : [];
  if (value === undefined) return [`${path}: undefined`];
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, item]) => findUnusableValues(item, `${path}.${key}`));
}
