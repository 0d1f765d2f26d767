import type { CompareView } from "../../../../src/report/dashboard/contract.js";
import { type ComparisonQuery, type DataSource, SourceError } from "../../data/index.js";
import { swapSides } from "./swap-sides.js";

/** A file has each pair of systems in one direction only. */
export async function loadComparison(source: DataSource, wanted: ComparisonQuery): Promise<CompareView> {
  try {
    return await source.compareRuns(wanted);
  } catch (error) {
    const { a, b, systemA, systemB } = wanted;
    if (source.kind !== "file" || !(error instanceof SourceError) || systemA === undefined || systemB === undefined)
      throw error;
    return swapSides(await source.compareRuns({ a: b, b: a, systemA: systemB, systemB: systemA }));
  }
}
