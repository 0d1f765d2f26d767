import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parquetMetadata } from "hyparquet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { DatasetError } from "../../core/errors.js";
import { openLocalBytes } from "../../utils/files/byte-source.js";
import { type DuckDbWriter, openDuckDb } from "./duckdb-file.js";
import { openParquet } from "./index.js";
import { listRowGroups } from "./parquet-file.js";

let folder: string;
let duckdb: DuckDbWriter;
let good: Buffer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "assay-parquet-"));
  duckdb = await openDuckDb();
  const path = join(folder, "good.parquet");
  await duckdb.write(path, "SELECT i AS id, 'q' || i AS question FROM range(5000) t(i)", "ROW_GROUP_SIZE 2048");
  good = readFileSync(path);
});
afterAll(() => {
  duckdb.close();
  rmSync(folder, { recursive: true });
});

/** The error message for a file of these bytes. */
async function failure(bytes: Uint8Array, columns?: string[]): Promise<string> {
  const path = join(folder, "bad.parquet");
  writeFileSync(path, bytes);
  const source = await openLocalBytes(path, "bad.parquet");
  try {
    const table = await openParquet(source);
    for await (const _ of table.read("all", columns));
    return "nothing";
  } catch (error) {
    expect(error).toBeInstanceOf(DatasetError);
    return error instanceof Error ? error.message : "";
  } finally {
    await source.close?.();
  }
}

describe("an unreadable file", () => {
  it("is reported if it is not a Parquet file", async () => {
    expect(await failure(Buffer.from('{"question": "why?"}\n'))).toMatch(/^"bad\.parquet" is not a Parquet file/);
    expect(await failure(Buffer.alloc(0))).toMatch(/is not a Parquet file/);
    expect(await failure(Buffer.from("PAR1"))).toMatch(/truncated/);
  });

  it("is reported as truncated if its end is missing", async () => {
    expect(await failure(good.subarray(0, good.length - 100))).toMatch(/is truncated: .* its footer is missing/);
  });

  it("is reported as truncated if bytes in the middle are missing", async () => {
    const shorter = Buffer.concat([good.subarray(0, 4), good.subarray(20_000)]);
    expect(await failure(shorter)).toMatch(/is truncated: its footer expects data up to byte \d+, but it has only/);
  });

  it("is reported if its footer is longer than the file, or invalid", async () => {
    const long = Buffer.from(good);
    long.writeUInt32LE(0x7fff_ffff, long.length - 8);
    expect(await failure(long)).toMatch(/is truncated: its footer has 2147483655 bytes/);
    const broken = Buffer.from(good);
    broken.fill(0xff, broken.length - 200, broken.length - 8);
    expect(await failure(broken)).toMatch(/its footer is damaged/);
  });

  it("is reported if it ends early during a read", async () => {
    const source = await openLocalBytes(join(folder, "good.parquet"), "short.parquet");
    let most = Number.POSITIVE_INFINITY;
    const read = async (start: number, end: number) => (await source.read(start, end)).subarray(0, most);
    const table = await openParquet({ ...source, read });
    most = 9;
    await expect(table.readColumn("id")).rejects.toThrow(/"short\.parquet" is truncated: it ends before byte \d+/);
    await source.close?.();
  });

  it("is reported with the damaged row group", async () => {
    const damaged = Buffer.from(good);
    damaged.fill(0xa5, 30_000, 36_000);
    expect(await failure(damaged)).toMatch(/row group \d cannot be decoded .* download or write it again/);
  });

  it("is reported with the row group if a sample is read from damaged pages", async () => {
    const path = join(folder, "large.parquet");
    await duckdb.write(path, "SELECT md5(i::VARCHAR) AS text FROM range(20000) t(i)", "CODEC uncompressed");
    const damaged = readFileSync(path).fill(0xff, 4, 2000);
    writeFileSync(path, damaged);
    const source = await openLocalBytes(path, "large.parquet");
    const table = await openParquet(source);
    const { positions } = await table.sample({ count: 5, seed: 1 });
    const read = async () => {
      for await (const _ of table.read(positions));
    };
    await expect(read()).rejects.toThrow(/"large\.parquet" .* row group 1 cannot be decoded/);
    await expect(read()).rejects.toBeInstanceOf(DatasetError);
    await source.close?.();
  });

  it("is reported if it is encrypted", async () => {
    const marked = Buffer.concat([good.subarray(0, -4), Buffer.from("PARE")]);
    expect(await failure(marked)).toMatch(/its footer is encrypted, and Assay has no key/);
  });

  it("passes on errors of its source", async () => {
    const source = { name: "far.parquet", size: 1000, read: () => Promise.reject(new Error("EIO: no such luck")) };
    await expect(openParquet(source)).rejects.toThrow(/"far\.parquet" cannot be read: EIO: no such luck/);
    const known = { ...source, read: () => Promise.reject(new DatasetError("The hub says no.")) };
    await expect(openParquet(known)).rejects.toThrow(/^The hub says no\.$/);
  });

  it("is reported if a column is missing", async () => {
    const message = await failure(good, ["questoin"]);
    expect(message).toBe('"bad.parquet" has no column "questoin". Did you mean "question"? Its columns: id, question.');
  });

  it("is reported if its compression is not supported", async () => {
    const metadata = parquetMetadata(good);
    for (const { columns } of metadata.row_groups)
      for (const { meta_data } of columns) if (meta_data) meta_data.codec = "LZO";
    expect(() => listRowGroups(metadata, "bad.parquet")).toThrow(
      /column "id" is compressed with LZO, which is not supported. Write the file with one of none, snappy, gzip/,
    );
  });
});
