/**
 * The value of a metric in a document: a key as it is written, a path of keys with dots, or a JSON pointer; undefined
 * when there is none. Where the document keeps its metrics in an object called `values`, they are looked for there, too.
 * @example
 * metricIn({ coverage: { lines: 81 } }, "coverage.lines"); // 81
 * metricIn({ tests: [{ name: "a" }] }, "/tests/0/name"); // "a"
 */
export function metricIn(document: unknown, metric: string): unknown {
  const found = valueAt(document, metric);
  return found === undefined && metric !== "values" ? valueAt(at(document, "values"), metric) : found;
}

function valueAt(document: unknown, metric: string): unknown {
  const own = at(document, metric);
  if (own !== undefined) return own;
  return keysOf(metric).reduce(at, document);
}

function keysOf(metric: string): string[] {
  if (!metric.startsWith("/")) return metric.split(".");
  return metric
    .slice(1)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

function at(value: unknown, key: string): unknown {
  if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
  return (value as Record<string, unknown>)[key];
}
