import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { ParquetFixture } from "../datasets/catalog/fixture.js";

export interface WriteParquetOptions {
  compression: "snappy" | "zstd" | "gzip" | "uncompressed";
}

/** Uses DuckDB, so that files are not written by the code that reads them. */
export async function writeParquetFixture(
  path: string,
  { columns, rows }: ParquetFixture,
  { compression }: WriteParquetOptions,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "assay-parquet-"));
  const source = join(folder, "rows.jsonl");
  writeFileSync(source, rows.map((row) => JSON.stringify(row)).join("\n"));
  const types = Object.entries(columns).map(([name, type]) => `${quoteSqlString(name)}: ${quoteSqlString(type)}`);
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  try {
    await connection.run(
      `COPY (SELECT * FROM read_json(${quoteSqlString(source)}, format = 'newline_delimited', maximum_object_size = 50000000, columns = {${types.join(", ")}}))
       TO ${quoteSqlString(path)} (FORMAT parquet, COMPRESSION ${compression})`,
    );
  } finally {
    connection.closeSync();
    instance.closeSync();
    rmSync(folder, { recursive: true });
  }
}

function quoteSqlString(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
