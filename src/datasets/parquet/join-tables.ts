import { DatasetError } from "../../core/index.js";
import { createNoColumnError } from "./errors.js";
import { drawSample } from "./sample.js";
import type { ParquetTable, Region, SampleOptions, TableRow, TableRowLocation, TableSample } from "./table.js";

/**
 * Reads several files as one table: their rows are concatenated, each with the columns of its own file.
 * @example
 * const table = joinTables([await openParquet(first), await openParquet(second)]);
 * table.locateRow(table.rows - 1); // the last row of the second file
 */
export function joinTables(tables: readonly ParquetTable[]): ParquetTable {
  const [only] = tables;
  if (only === undefined) throw new DatasetError("No Parquet files given. Pass at least one.");
  return tables.length === 1 ? only : new JoinedTables(tables);
}

interface TablePart {
  readonly table: ParquetTable;
  /** Position of its first row. */
  readonly first: number;
}

class JoinedTables implements ParquetTable {
  readonly #parts: readonly TablePart[];
  readonly name: string;
  readonly rows: number;
  readonly bytes: number;
  readonly columns: readonly string[];

  constructor(tables: readonly ParquetTable[]) {
    let rows = 0;
    this.#parts = tables.map((table) => {
      const first = rows;
      rows += table.rows;
      return { table, first };
    });
    this.rows = rows;
    this.bytes = tables.reduce((sum, { bytes }) => sum + bytes, 0);
    this.name = `${tables[0]?.name} and ${tables.length - 1} more`;
    this.columns = [...new Set(tables.flatMap(({ columns }) => columns))];
  }

  has(path: string): boolean {
    return this.#parts.some(({ table }) => table.has(path));
  }

  listSimilarPaths(path: string): readonly string[] {
    return [...new Set(this.#parts.flatMap(({ table }) => table.listSimilarPaths(path)))];
  }

  async *read(positions: Uint32Array | "all", columns?: readonly string[]): AsyncGenerator<readonly TableRow[]> {
    this.#requireColumns(columns);
    for (const { table, first } of this.#parts) {
      const inside = positions === "all" ? positions : selectPositions(positions, first, table.rows);
      if (inside.length === 0) continue;
      for await (const rows of table.read(inside, filterOwnColumns(table, columns))) {
        yield first === 0 ? rows : rows.map(({ position, row }) => ({ position: position + first, row }));
      }
    }
  }

  async readColumn(path: string): Promise<readonly unknown[]> {
    this.#requireColumns([path]);
    const values: unknown[] = [];
    for (const { table } of this.#parts) {
      const own = table.has(path) ? await table.readColumn(path) : new Array<undefined>(table.rows).fill(undefined);
      for (const value of own) values.push(value);
    }
    return values;
  }

  async sample(options: SampleOptions): Promise<TableSample> {
    const { rows, bytes } = this;
    return drawSample({ rows, bytes, regions: await this.listRegions(options.columns) }, options);
  }

  locateRow(position: number): TableRowLocation {
    const file = this.#parts.findLastIndex(({ table, first }) => first <= position && table.rows > 0);
    const part = this.#parts[file];
    if (part === undefined) throw new DatasetError(`"${this.name}" has no row ${position + 1}.`);
    return { ...part.table.locateRow(position - part.first), file };
  }

  async listRegions(columns?: readonly string[]): Promise<readonly Region[]> {
    this.#requireColumns(columns);
    const all = this.#parts.map(async ({ table, first }) => {
      const regions = await table.listRegions(filterOwnColumns(table, columns));
      return regions.map((region) => ({ ...region, first: region.first + first }));
    });
    return (await Promise.all(all)).flat();
  }

  async close(): Promise<void> {
    await Promise.all(this.#parts.map(({ table }) => table.close()));
  }

  #requireColumns(columns: readonly string[] = []): void {
    const missing = columns.find((column) => !this.has(column));
    if (missing !== undefined) throw createNoColumnError(this.name, missing, this.listSimilarPaths(missing));
  }
}

/** The columns that this file has: files of one dataset may differ. */
function filterOwnColumns(table: ParquetTable, columns?: readonly string[]): readonly string[] | undefined {
  return columns?.filter((path) => table.has(path));
}

/** The positions within a table, relative to its first row. */
function selectPositions(positions: Uint32Array, first: number, rows: number): Uint32Array {
  return positions
    .filter((position) => position >= first && position < first + rows)
    .map((position) => position - first);
}
