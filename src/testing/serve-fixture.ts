import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import type { Fixture, FixtureFile, ParquetFixture } from "../datasets/catalog/fixture.js";
import { type ScriptedHub, startScriptedHub } from "../datasets/hub/scripted-hub.js";
import { createZip } from "./write-zip.js";

/** A hub that serves the files of one repository. */
export async function serveFixture(
  repo: string,
  { files }: Fixture,
  options: WriteParquetOptions,
): Promise<ScriptedHub> {
  const own: Record<string, Buffer> = { "README.md": Buffer.from("# A dataset\n") };
  const converted: Record<string, Buffer> = {};
  for (const [path, file] of Object.entries(files)) {
    const isConverted = "rows" in file && file.isConverted === true;
    (isConverted ? converted : own)[path] = await encodeFixtureFile(file, options);
  }
  const revisions = {
    main: { files: own },
    ...(Object.keys(converted).length === 0 ? {} : { "refs/convert/parquet": { files: converted } }),
  };
  return startScriptedHub({ repos: { [repo]: { revisions } } });
}

async function encodeFixtureFile(file: FixtureFile, options: WriteParquetOptions): Promise<Buffer> {
  if ("text" in file) return Buffer.from(file.text);
  return "zip" in file ? createZip(file.zip) : encodeParquet(file, options);
}

export async function encodeParquet(file: ParquetFixture, options: WriteParquetOptions): Promise<Buffer> {
  const folder = mkdtempSync(join(tmpdir(), "assay-fixture-"));
  try {
    const path = join(folder, "rows.parquet");
    await writeParquetFixture(path, file, options);
    return readFileSync(path);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface WriteParquetOptions {
  compression: "snappy" | "zstd" | "gzip" | "uncompressed";
}

/** Uses DuckDB, so that files are not written by the code that reads them. */
async function writeParquetFixture(
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
