import type { ByteSource } from "../files/byte-source.js";
import { readFooter } from "./footer.js";
import { type GroupRows, type OpenFile, readGroup } from "./group-reader.js";
import { type Group, layoutOf } from "./layout.js";
import { loadLibrary } from "./library.js";
import { findPart, type Part, pathsNear, valueAlong } from "./parts.js";
import { undecodable } from "./problems.js";
import { type Region, regionsOf } from "./regions.js";
import { drawSample } from "./sample.js";
import { select } from "./selection.js";
import { wholeReads } from "./spans.js";
import type { ParquetTable, RowPlace, SampleOptions, TableRow, TableSample } from "./table.js";

/**
 * Opens a Parquet file. Only its footer is read at first, and later only what is asked for.
 * @example
 * const table = await openParquet(await openBytes("data.parquet"));
 * const { positions } = await table.sample({ count: 100, seed: 0, columns: ["question", "answer.aliases"] });
 * for await (const rows of table.read(positions, ["question", "answer.aliases"])) console.log(rows.length);
 */
export async function openParquet(bytes: ByteSource): Promise<ParquetTable> {
  const library = await loadLibrary();
  const layout = layoutOf(library, await readFooter(library, bytes), bytes);
  return new ParquetFile(bytes, { name: bytes.name, library, layout, read: wholeReads(bytes) });
}

class ParquetFile implements ParquetTable {
  readonly #source: ByteSource;
  readonly #file: OpenFile;

  constructor(source: ByteSource, file: OpenFile) {
    this.#source = source;
    this.#file = file;
  }

  get name(): string {
    return this.#file.name;
  }

  get rows(): number {
    return this.#file.layout.rows;
  }

  get columns(): readonly string[] {
    return this.#file.layout.columns;
  }

  get bytes(): number {
    return this.#source.size;
  }

  has(path: string): boolean {
    return this.#find(path) !== null;
  }

  pathsNear(path: string): readonly string[] {
    const { library, layout } = this.#file;
    return pathsNear(library, layout.root, path);
  }

  async *read(positions: Uint32Array | "all", columns?: readonly string[]): AsyncGenerator<readonly TableRow[]> {
    const selection = select(this.#file, columns);
    for (const { group, wanted } of groupsOf(this.#file.layout.groups, positions)) {
      yield* this.#readGroup({ group, wanted, selection });
    }
  }

  async column(path: string): Promise<readonly unknown[]> {
    const names = this.#find(path)?.names ?? [];
    const values: unknown[] = [];
    for await (const rows of this.read("all", [path])) for (const { row } of rows) values.push(valueAlong(row, names));
    return values;
  }

  async sample(options: SampleOptions): Promise<TableSample> {
    const { rows, bytes } = this;
    return drawSample({ rows, bytes, regions: await this.regions(options.columns) }, options);
  }

  placeOf(position: number): RowPlace {
    return { name: this.name, file: 0, row: position + 1 };
  }

  async regions(columns?: readonly string[]): Promise<readonly Region[]> {
    return regionsOf(this.#file, select(this.#file, columns));
  }

  async close(): Promise<void> {
    await this.#source.close?.();
  }

  async *#readGroup(rows: GroupRows): AsyncGenerator<TableRow[]> {
    const { group, wanted } = rows;
    let at = 0;
    try {
      for await (const window of readGroup(this.#file, rows)) {
        yield window.map((row) => ({ position: group.first + (wanted[at++] ?? 0), row }));
      }
    } catch (error) {
      throw undecodable(this.name, group.index, error);
    }
  }

  #find(path: string): Part | null {
    return findPart(this.#file.library, this.#file.layout.root, path);
  }
}

/** The groups that hold the positions, each with its own rows among them. */
function* groupsOf(groups: readonly Group[], positions: Uint32Array | "all") {
  let at = 0;
  for (const group of groups) {
    if (positions === "all") {
      if (group.rows > 0) yield { group, wanted: Uint32Array.from({ length: group.rows }, (_, row) => row) };
      continue;
    }
    const from = at;
    while (at < positions.length && (positions[at] ?? 0) < group.first + group.rows) at++;
    if (at > from) yield { group, wanted: positions.slice(from, at).map((position) => position - group.first) };
  }
}
