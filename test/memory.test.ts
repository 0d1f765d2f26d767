import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { makeLocomoItems, makeLongMemEvalItems } from "../src/systems/memory/scripted-items.js";
import { runInPool } from "../src/testing/cli-pool.js";
import { parseReport, startAssay } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

/** Answers with the line that shares most words with the question. */
const READER = `export default ({ context = "", question }) => {
  const words = question.toLowerCase().match(/\\w{4,}/g) ?? [];
  const hits = (line) => words.filter((word) => line.toLowerCase().includes(word)).length;
  return context.split("\\n").toSorted((a, b) => hits(b) - hits(a))[0].split(": ").pop();
};`;

/** A custom memory: keeps the last word of every turn. */
const MEMORY = `export default class {
  name = "last-words";
  async reset() { this.words = []; }
  async ingest(turns) { for (const { content } of turns) this.words.push(content.trim().split(/\\s+/).pop()); }
  async query() { return { answer: this.words.join(" "), contextTokens: this.words.length }; }
}`;

const files = {
  "locomo10.json": JSON.stringify(makeLocomoItems()),
  "longmemeval_s.json": JSON.stringify(makeLongMemEvalItems()),
  "reader.mjs": READER,
  "memory.mjs": MEMORY,
};
const LOCOMO = ["memory", "--dataset", "locomo=locomo10.json", "--reader", "./reader.mjs", "--quiet"];

describe("assay memory", () => {
  it("measures built-in and custom memories, by type of question, with tokens and times", async () => {
    const space = new TempProject(files);
    const systems = ["full-history", "last-n:1", "bm25:2", "./memory.mjs"].flatMap((spec) => ["--system", spec]);
    const report = parseReport(await runInPool(space.dir, [...LOCOMO, ...systems, "--output", "json"]));
    expect(Object.keys(report.summary)).toEqual(["full-history", "last-n:1", "bm25:2", "last-words"]);
    expect(report.rows).toHaveLength(28);
    for (const summary of Object.values(report.summary)) {
      for (const key of [
        "mean_context_tokens",
        "context_share",
        "score_per_1k_context_tokens",
        "ingest_seconds_p50",
        "query_seconds_p95",
      ])
        expect(summary[key]).toEqual(expect.any(Number));
      for (const type of ["multi-hop", "temporal", "open-domain", "single-hop", "adversarial"])
        expect(summary[`facet:question_type=${type}`]).toEqual(expect.any(Number));
    }
    expect(report.summary["full-history"]?.context_share).toBe(1);
    expect(report.summary["bm25:2"]?.context_share).toBeLessThan(1);
    const ingests = report.rows.filter(
      ({ metadata }) => (metadata as { ingestMs?: number } | null)?.ingestMs !== undefined,
    );
    // Once for each of the two conversations and each memory.
    expect(ingests).toHaveLength(8);
    const table = await runInPool(space.dir, [...LOCOMO, "--system", "bm25:2"]);
    expect(table.stdout).toMatch(/Mean score by question_type/);
    expect(table.stdout).toMatch(/Retrieved context and latency of memories/);
  });

  it("reads longmemeval, filters by type, and plans without running anything", async () => {
    const space = new TempProject(files);
    const base = [
      "memory",
      "--dataset",
      "longmemeval:s=longmemeval_s.json",
      "--reader",
      "./reader.mjs",
      "--system",
      "bm25",
    ];
    const report = parseReport(
      await runInPool(space.dir, [...base, "--filter", "question_type=knowledge-update", "--output", "json"]),
    );
    expect(report.rows.length).toBeGreaterThan(0);
    expect(
      report.rows.every(({ facets }) => (facets as { question_type: string }).question_type === "knowledge-update"),
    ).toBe(true);
    const plan = await runInPool(space.dir, [...base, "--dry-run"]);
    expect(plan.stdout).toMatch(/a memory that reads the whole history for each question reads about \d+ more tokens/);
  });

  it("resumes only its own stopped runs", async () => {
    const slow = READER.replace("export default (", "export default async (").replace(
      "=> {",
      "=> { console.error('asked'); await new Promise((done) => setTimeout(done, 150));",
    );
    const space = new TempProject({ ...files, "reader.mjs": slow });
    const args = [
      "memory",
      "--dataset",
      "locomo=locomo10.json",
      "--reader",
      "./reader.mjs",
      "--system",
      "bm25:2",
      "--trials",
      "4",
      "--max-workers",
      "1",
    ];
    const running = startAssay(space.dir, args);
    await running.says("asked");
    running.child.kill("SIGINT");
    const stopped = await running.finished;
    expect(stopped.code).toBe(130);
    expect(stopped.stderr).toMatch(/assay memory --resume/);
    const wrong = await runInPool(space.dir, ["run", "--resume", /--resume (\S+)/.exec(stopped.stderr)?.[1] ?? ""]);
    expect(wrong.stderr).toMatch(/was started by `assay memory`/);
    const report = parseReport(await runInPool(space.dir, ["memory", "--resume", "--output", "json"]));
    expect(report.rows.filter(({ outcome }) => outcome !== "skipped")).toHaveLength(28);
  });

  it("is reported again with all its figures, and graded again", async () => {
    const space = new TempProject(files);
    const first = parseReport(await runInPool(space.dir, [...LOCOMO, "--system", "bm25:2", "--output", "json"]));
    const again = parseReport(await runInPool(space.dir, ["report", first.run ?? "", "--output", "json"]));
    expect(again.notes).toEqual(first.notes);
    expect(Object.keys(again.summary["bm25:2"] ?? {})).toEqual(Object.keys(first.summary["bm25:2"] ?? {}));
    const graded = await runInPool(space.dir, [
      "grade",
      first.run ?? "",
      "--evaluator",
      "levenshtein",
      "--output",
      "json",
    ]);
    const report = parseReport(graded);
    expect(report.rows).toHaveLength(7);
    // The question without an answer has no reference to compare with.
    expect(report.rows.filter(({ scores }) => "levenshtein" in scores)).toHaveLength(6);
    expect(report.summary["bm25:2"]?.mean_context_tokens).toBe(first.summary["bm25:2"]?.mean_context_tokens);
    const twice = await runInPool(space.dir, ["grade", report.run ?? "", "--output", "json"]);
    expect(parseReport(twice).rows).toHaveLength(7);
  });

  it.each([
    [["--system", "bm25"], /needs a model that answers/],
    [["--system", "bm24", "--reader", "./reader.mjs"], /Did you mean "bm25"/],
    [["--system", "bm25:x", "--reader", "./reader.mjs"], /not a whole number/],
    [["--reader", "./reader.mjs"], /No memory is given/],
    [["--system", "bm25", "--reader", "./nowhere.mjs"], /nowhere\.mjs/],
    [["--system", "./reader.mjs"], /The memory in \.\/reader\.mjs could not be made/],
    [["--system", "bm25", "--reader", "./reader.mjs", "--model", "openai/gpt-5"], /--reader replaces --model/],
    [["--system", "bm25", "--reader", "./reader.mjs", "--dataset", "longmemeval"], /takes one dataset/],
    [["--system", "bm25", "--reader", "./reader.mjs", "--filter", "question_type=x"], /Values of question_type/],
    [["--system", "bm25", "--reader", "./reader.mjs", "--filter", "nope=1"], /has a field "nope".*question_type/],
  ])("rejects %j", async (flags, message) => {
    const space = new TempProject(files);
    const { code, stderr } = await runInPool(space.dir, ["memory", "--dataset", "locomo=locomo10.json", ...flags]);
    expect(stderr).toMatch(message);
    expect(code).not.toBe(0);
    expect(stderr).not.toMatch(/ {4}at /);
  });

  it("reports once why a memory could not be created", async () => {
    const space = new TempProject({ ...files, "memory.mjs": "export default () => { throw new Error('no key'); };" });
    const { code, stderr } = await runInPool(space.dir, [...LOCOMO, "--system", "./memory.mjs"]);
    expect(stderr.match(/could not be made/g)).toHaveLength(1);
    expect(code).toBe(2);
  });

  it("reads compressed files and JSON Lines", async () => {
    const space = new TempProject({ ...files, "locomo.jsonl": makeLocomoItems() });
    space.writeBytes("locomo10.json.gz", gzipSync(files["locomo10.json"]));
    for (const file of ["locomo10.json.gz", "locomo.jsonl"]) {
      const args = ["memory", "--dataset", `locomo=${file}`, "--reader", "./reader.mjs", "--system", "bm25:2"];
      const report = parseReport(await runInPool(space.dir, [...args, "--output", "json"]));
      expect(report.rows).toHaveLength(7);
    }
  });

  it("reports unused config keys, uses the rest, and ignores named files and plugins", async () => {
    const config = {
      namedDatasets: { mine: { files: ["mine.jsonl"] } },
      plugins: ["./plugin.mjs"],
      map: { question: "prompt" },
      skipBadRows: true,
      cacheDir: "kept",
      unsafeLocalExec: true,
    };
    const counting = `import { appendFileSync } from "node:fs";
${READER.replace("=> {", '=> { appendFileSync("asked", "x");')}`;
    const space = new TempProject({
      ...files,
      "reader.mjs": counting,
      "assay.config.mjs": `export default ${JSON.stringify(config)};`,
      "plugin.mjs": "export function register() {}",
    });
    const args = [...LOCOMO, "--system", "bm25:2", "--output", "json"];
    const report = parseReport(await runInPool(space.dir, args));
    const notes = report.notes.join("\n");
    expect(notes).toMatch(/`map` and `skipBadRows` of the config are not used/);
    expect(notes).not.toMatch(/cacheDir|unsafeLocalExec/);
    expect(report.rows).toHaveLength(7);
    parseReport(await runInPool(space.dir, args));
    expect(space.read("asked")).toBe("x".repeat(7));
  });

  it("says that descriptive answers need a judge", async () => {
    const [first, ...rest] = makeLongMemEvalItems();
    const items = [{ ...first, question_type: "single-session-preference" }, ...rest];
    const space = new TempProject({ ...files, "longmemeval_s.json": JSON.stringify(items) });
    const base = ["memory", "--dataset", "longmemeval=longmemeval_s.json", "--reader", "./reader.mjs"];
    const { stdout } = await runInPool(space.dir, [...base, "--system", "bm25"]);
    expect(stdout).toMatch(/single-session-preference: .*--judge-model/s);
  });

  it("reports misspelled names before anything is downloaded", async () => {
    const { code, stderr } = await runInPool(
      new TempProject(files).dir,
      ["memory", "--system", "bm24", "--dataset", "locomo"],
      {
        HF_ENDPOINT: "http://127.0.0.1:9",
      },
    );
    expect(stderr).toMatch(/Did you mean "bm25"/);
    expect(code).toBe(2);
  });

  it("reports the item of a file that cannot be read", async () => {
    const [first] = makeLocomoItems();
    const space = new TempProject({ ...files, "locomo10.json": JSON.stringify([first, { sample_id: "x" }]) });
    const { code, stderr } = await runInPool(space.dir, [...LOCOMO, "--system", "bm25"]);
    expect(stderr).toMatch(/Item 2 of "locomo10\.json"/);
    expect(code).toBe(2);
  });
});
