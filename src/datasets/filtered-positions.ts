import { KnownValues, noMatch, scalarText } from "./columns.js";
import type { ParquetTable } from "./parquet/index.js";

/** What rows are filtered by, and what messages call them. */
interface Filtering {
  name: string;
  filter?: Readonly<Record<string, string>>;
}

/** The rows of a table that a filter keeps, found by reading its columns alone; all without a filter. */
export async function filteredPositions(table: ParquetTable, { name, filter = {} }: Filtering): Promise<Uint32Array> {
  let kept = Uint32Array.from({ length: table.rows }, (_, position) => position);
  const used: Record<string, string> = {};
  for (const [column, value] of Object.entries(filter)) {
    if (kept.length === 0) break;
    used[column] = value;
    const values = await table.column(column);
    const matching = kept.filter((position) => scalarText(values[position]) === value);
    if (matching.length === 0) throw noMatch(name, used, new Map([[column, valuesAt(values, kept)]]));
    kept = matching;
  }
  return kept;
}

function valuesAt(values: readonly unknown[], positions: Uint32Array): KnownValues {
  const known = new KnownValues();
  for (const position of positions) known.add(values[position]);
  return known;
}
