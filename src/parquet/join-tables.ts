import { DatasetError } from "../core/errors.js";
import { noColumn } from "./problems.js";
import type { Region } from "./regions.js";
import { drawSample } from "./sample.js";
import type { ParquetTable, RowPlace, SampleOptions, TableRow, TableSample } from "./table.js";

/**
 * Several files as one table: their rows follow each other, and the columns are those that all of them have.
 * @example
 * const table = joinTables([await openParquet(first), await openParquet(second)]);
 * table.placeOf(table.rows - 1); // the last row of the second file
 */
export function joinTables(tables: readonly ParquetTable[]): ParquetTable {
  const [only] = tables;
  if (only === undefined) throw new DatasetError("There is no Parquet file to read. Name at least one.");
  return tables.length === 1 ? only : new JoinedTables(tables);
}

interface Part {
  readonly table: ParquetTable;
  /** The position of its first row. */
  readonly first: number;
}

class JoinedTables implements ParquetTable {
  readonly #parts: readonly Part[];
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
    this.columns = (tables[0]?.columns ?? []).filter((name) => tables.every(({ columns }) => columns.includes(name)));
  }

  has(path: string): boolean {
    return this.#lacking(path) === undefined;
  }

  pathsNear(path: string): readonly string[] {
    return (this.#lacking(path) ?? this.#parts[0])?.table.pathsNear(path) ?? [];
  }

  async *read(positions: Uint32Array | "all", columns = this.columns): AsyncGenerator<readonly TableRow[]> {
    this.#requireColumns(columns);
    for (const { table, first } of this.#parts) {
      const inside = positions === "all" ? positions : within(positions, first, table.rows);
      if (inside.length === 0) continue;
      for await (const rows of table.read(inside, columns)) {
        yield first === 0 ? rows : rows.map(({ position, row }) => ({ position: position + first, row }));
      }
    }
  }

  async column(path: string): Promise<readonly unknown[]> {
    this.#requireColumns([path]);
    const values: unknown[] = [];
    for (const { table } of this.#parts) for (const value of await table.column(path)) values.push(value);
    return values;
  }

  async sample(options: SampleOptions): Promise<TableSample> {
    const { rows, bytes } = this;
    return drawSample({ rows, bytes, regions: await this.regions(options.columns) }, options);
  }

  placeOf(position: number): RowPlace {
    const part = this.#parts.findLast(({ table, first }) => first <= position && table.rows > 0) ?? this.#parts[0];
    if (part === undefined) throw new DatasetError(`There is no row ${position + 1} in "${this.name}".`);
    return part.table.placeOf(position - part.first);
  }

  async regions(columns: readonly string[] = this.columns): Promise<readonly Region[]> {
    this.#requireColumns(columns);
    const all = this.#parts.map(async ({ table, first }) => {
      const regions = await table.regions(columns);
      return regions.map((region) => ({ ...region, first: region.first + first }));
    });
    return (await Promise.all(all)).flat();
  }

  async close(): Promise<void> {
    await Promise.all(this.#parts.map(({ table }) => table.close()));
  }

  /** Said of the very file that lacks the column. */
  #requireColumns(columns: readonly string[]): void {
    for (const column of columns) {
      const lacking = this.#lacking(column);
      if (lacking !== undefined) throw noColumn(lacking.table.name, column, lacking.table.pathsNear(column));
    }
  }

  #lacking(path: string): Part | undefined {
    return this.#parts.find(({ table }) => !table.has(path));
  }
}

/** The positions that fall into a table, counted from its first row. */
function within(positions: Uint32Array, first: number, rows: number): Uint32Array {
  return positions
    .filter((position) => position >= first && position < first + rows)
    .map((position) => position - first);
}
