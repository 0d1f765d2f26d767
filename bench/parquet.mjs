// A hundred rows of a Parquet file of two million: how much of the file is touched, and what memory that takes.
import { spawn } from "node:child_process";
import { rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DuckDBInstance } from "@duckdb/node-api";
import { fileWriter, parquetWriteRows } from "hyparquet-writer";
import { rolldown } from "rolldown";
import { inTempFolder, mib } from "./measure.mjs";

const ROWS = 2_000_000;
const COUNT = 100;
const AIM = "< 5 % of the bytes, < 200 MiB";
const ROOT = fileURLToPath(new URL("..", import.meta.url));
const SELF = fileURLToPath(import.meta.url);
const WORDS = "the sample is drawn from rows that are read where they lie and nothing else is fetched".split(" ");
const SENTENCES = Array.from({ length: 1009 }, (_, id) =>
  Array.from({ length: 12 }, (_, at) => WORDS[(id * (at + 3) + at * at) % WORDS.length]).join(" "),
);

/** Row groups as usual writers make them; with and without the index that tells where pages are. */
const LAYOUTS = {
  "row groups of 1,000": (path) => writeRows(path, { rowGroupSize: 1000 }),
  "1,000, then 100,000, with offset index": (path) => writeRows(path, {}),
  "1,000, then 100,000, without": (path) => writeRows(path, { offsetIndex: false }),
  "1,000,000, with offset index": (path) => writeRows(path, { rowGroupSize: 1_000_000 }),
  "1,000,000, without": (path) => writeRows(path, { rowGroupSize: 1_000_000, offsetIndex: false }),
  "122,880, one page a column, snappy": (path) => copyRows(path, "CODEC snappy"),
  "122,880, one page a column, zstd": (path) => copyRows(path, "CODEC zstd"),
  "122,880, newer encodings, zstd": (path) => copyRows(path, "CODEC zstd, PARQUET_VERSION v2"),
  "1,000,000, one page a column, gzip": (path) => copyRows(path, "CODEC gzip, ROW_GROUP_SIZE 1000000"),
};

export function measure() {
  return inTempFolder(async (dir) => {
    await bundle(dir);
    const rows = [];
    for (const layout of Object.keys(LAYOUTS)) {
      const path = join(dir, "data.parquet");
      // The peak memory that a process reports is at least what its parent had: the writers have a process of their own.
      await inChild([SELF, layout, path], dir);
      const seen = JSON.parse(await inChild(["--input-type=module", "-e", CHILD, path], dir));
      rows.push([`${COUNT} of ${ROWS} rows, ${layout}`, AIM, describe(seen, path)]);
      rmSync(path);
    }
    return rows;
  });
}

function describe({ bytes, reads, maxRss, ms }, path) {
  const { size } = statSync(path);
  const share = ((bytes / size) * 100).toFixed(2);
  return `${share} % of ${mib(size)}, ${reads} reads, ${mib(maxRss * 1024)}, ${Math.round(ms)} ms`;
}

/** The reader alone, so that nothing else counts. Packages are found through the link. */
async function bundle(dir) {
  symlinkSync(join(ROOT, "node_modules"), join(dir, "node_modules"));
  const input = { parquet: join(ROOT, "src/parquet/index.ts"), bytes: join(ROOT, "src/files/byte-source.ts") };
  const build = await rolldown({ cwd: ROOT, input, platform: "node", external: /^[^./]/ });
  await build.write({ dir, format: "esm", entryFileNames: "[name].mjs" });
}

const CHILD = `
  import { openBytes } from "./bytes.mjs";
  import { openParquet } from "./parquet.mjs";
  const started = performance.now();
  const source = await openBytes(process.argv.at(-1));
  const seen = { bytes: 0, reads: 0 };
  const read = async (start, end) => {
    const bytes = await source.read(start, end);
    seen.bytes += bytes.byteLength;
    seen.reads += 1;
    return bytes;
  };
  const table = await openParquet({ ...source, read });
  const { positions } = await table.sample({ count: ${COUNT}, seed: 1 });
  const ids = [];
  for await (const rows of table.read(positions)) for (const { row } of rows) ids.push(row.id);
  if (ids.join() !== positions.join() || ids.length !== ${COUNT}) throw new Error("other rows than were asked for");
  const { maxRSS: maxRss } = process.resourceUsage();
  console.log(JSON.stringify({ ...seen, maxRss, ms: performance.now() - started }));
`;

function inChild(args, cwd) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "inherit"] });
    let stdout = "";
    child.stdout.on("data", (data) => {
      stdout += data;
    });
    child.on("close", (code) => {
      if (code === 0) resolve(stdout);
      else reject(new Error(`${args[0]} ended with ${code}`));
    });
  });
}

async function copyRows(path, options) {
  const database = await DuckDBInstance.create(":memory:", { threads: "1", memory_limit: "1GB" });
  const connection = await database.connect();
  await connection.run(
    `COPY (SELECT i AS id, 'question ' || i || ' ' || md5(i::VARCHAR) AS question,
      md5((i * 3)::VARCHAR) || ' and so on ' || md5((i * 7)::VARCHAR) || ' until ' || md5((i * 11)::VARCHAR) AS context,
      [md5((i * 5)::VARCHAR), 'answer ' || i % 1000] AS answers, 'subject ' || i % 57 AS subject
      FROM range(${ROWS}) rows(i)) TO '${path}' (FORMAT parquet, ${options})`,
  );
  connection.closeSync();
  database.closeSync();
}

async function writeRows(path, { offsetIndex = true, ...options }) {
  const text = (name) => ({ name, type: "STRING", offsetIndex, encoding: "PLAIN" });
  const columns = [{ name: "id", type: "INT32", offsetIndex, encoding: "PLAIN" }, text("question"), text("context")];
  await parquetWriteRows({
    writer: fileWriter(path),
    rows: rowsOf(),
    columns: [...columns, { name: "subject", type: "STRING", offsetIndex }],
    ...options,
  });
}

function* rowsOf() {
  for (let id = 0; id < ROWS; id++) {
    const mark = Math.imul(id, 0x9e3779b1) >>> 0;
    const context = `${SENTENCES[id % SENTENCES.length]} ${mark.toString(36)} ${Math.imul(mark, 0x85ebca6b).toString(36)}`;
    yield { id, question: `question ${id} ${mark.toString(16)}`, context, subject: `subject ${id % 57}` };
  }
}

if (process.argv[1] === SELF) {
  const [layout, path] = process.argv.slice(2);
  await LAYOUTS[layout](path);
}
