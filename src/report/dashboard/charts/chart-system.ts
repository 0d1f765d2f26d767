import type { EvalResult, EvalRow, Price } from "../../../core/index.js";
import { getOwn } from "../../../core/index.js";
import type { Manifest } from "../../../store/index.js";
import { createFigureReader, type FigureReader } from "../cards.js";

export interface ChartSystem {
  readonly name: string;
  readonly harness: string | null;
  /** The price at the time of the run; null if unknown. */
  readonly price: Price | null;
  readonly rows: readonly EvalRow[];
  readonly figure: FigureReader;
  /** Why a figure is null; null if no reason is known. */
  readonly why: (key: string) => string | null;
}

/** In the order of the run, including systems without rows. */
export function listChartSystems(result: EvalResult, manifest: Pick<Manifest, "systems">): ChartSystem[] {
  const rows = groupChartRows(result.rows);
  return result.config.systems.map((name) => {
    const record = getOwn(manifest.systems, name);
    const reasons = getOwn(result.reasons, name) ?? {};
    return {
      name,
      harness: record?.harness ?? null,
      price: findRunPrice(manifest.systems, name),
      rows: rows.get(name) ?? [],
      figure: createFigureReader(getOwn(result.summary, name) ?? {}),
      why: (key) => getOwn(reasons, key) ?? null,
    };
  });
}

function groupChartRows(rows: readonly EvalRow[]): Map<string, EvalRow[]> {
  const bySystem = new Map<string, EvalRow[]>();
  for (const row of rows) {
    const own = bySystem.get(row.system);
    if (own === undefined) bySystem.set(row.system, [row]);
    else own.push(row);
  }
  return bySystem;
}

/** The price at the time of the run; null if unknown. */
export function findRunPrice(systems: Manifest["systems"], name: string): Price | null {
  return getOwn(systems, name)?.limits?.price ?? null;
}
