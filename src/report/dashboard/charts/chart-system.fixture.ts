import type { Price } from "../../../core/price.js";
import type { Summary } from "../../../core/result.js";
import { type EvalRow, makeRow, type RowInit } from "../../../core/row.js";
import { createFigureReader } from "../cards.js";
import type { ChartSystem } from "./chart-system.js";

interface ChartSystemParts {
  rows?: readonly (Omit<RowInit, "system" | "exampleId" | "outcome"> & Partial<RowInit>)[];
  summary?: Summary;
  reasons?: Record<string, string>;
  price?: Price;
  harness?: string;
}

/** Creates a system from the few numbers that a test is about; each row is a pass of its own example. */
export function createChartSystem(
  name: string,
  { rows = [], summary = {}, reasons = {}, ...rest }: ChartSystemParts = {},
): ChartSystem {
  return {
    name,
    harness: rest.harness ?? null,
    price: rest.price ?? null,
    rows: rows.map((known, i): EvalRow => makeRow({ exampleId: i, outcome: "pass", ...known, system: name })),
    figure: createFigureReader(summary),
    why: (key) => reasons[key] ?? null,
  };
}
