import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Fixture, FixtureFile, ParquetFixture } from "../datasets/catalog/fixture.js";
import { type ScriptedHub, startScriptedHub } from "../datasets/hub/scripted-hub.js";
import { type WriteParquetOptions, writeParquetFixture } from "./write-parquet.js";
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
