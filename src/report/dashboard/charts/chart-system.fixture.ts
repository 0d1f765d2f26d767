import type { Price } from "../../../core/price.js";
import type { Summary } from "../../../core/result.js";
import { type EvalRow, type KnownFields, makeRow } from "../../../core/row.js";
import { figureReader } from "../cards.js";
import type { ChartSystem } from "./chart-system.js";

interface Sample {
  rows?: readonly (Omit<KnownFields, "system" | "exampleId" | "outcome"> & Partial<KnownFields>)[];
  summary?: Summary;
  reasons?: Record<string, string>;
  price?: Price;
  harness?: string;
}

/** Creates a system from the few numbers that a test is about; each row is a pass of its own example. */
export function sampleSystem(
  name: string,
  { rows = [], summary = {}, reasons = {}, ...rest }: Sample = {},
): ChartSystem {
  return {
    name,
    harness: rest.harness ?? null,
    price: rest.price ?? null,
    rows: rows.map((known, i): EvalRow => makeRow({ exampleId: i, outcome: "pass", ...known, system: name })),
    figure: figureReader(summary),
    why: (key) => reasons[key] ?? null,
  };
}
