import { createHash } from "node:crypto";
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { JournalError, RunFolderError } from "../core/errors.js";
import { type EvalRow, makeRow } from "../core/row.js";
import type { FinishedTrial } from "../runner/ports.js";
import { makeConfig, makeManifest } from "../testing/make-run.js";
import { RunJournal, readManifest, readRows } from "./journal.js";
import { pickTrialKey } from "./row-codec.js";
import { isRunComplete } from "./summary-file.js";

const MANIFEST = makeManifest({ config: makeConfig({ title: "t", systems: ["s"] }) });

let dir = "";

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "assay-journal-"));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

const path = (file: string) => join(dir, file);
const lines = (file: string) => readFileSync(path(file), "utf8").split("\n").filter(Boolean);

function row(exampleId: number, more: Partial<EvalRow> = {}): EvalRow {
  return makeRow({ system: "s", exampleId, outcome: "pass", ...more });
}

function finished(exampleId: number, more: Partial<FinishedTrial> = {}): FinishedTrial {
  return { row: row(exampleId), output: { response: `answer ${exampleId}` }, evidence: null, grades: null, ...more };
}

/** Writes a run folder with these trials, and closes it. */
function store(...trials: FinishedTrial[]): void {
  const journal = RunJournal.create(dir, MANIFEST);
  for (const trial of trials) journal.append(trial);
  journal.flush();
  journal.close();
}

describe("RunJournal", () => {
  it("adopts an output file, and records the row if the file is missing or a link", () => {
    const names = ["a", "b", "c"].map((digit) => `${digit.repeat(32)}.json`);
    const [there = "", link = "", none = ""] = names.map((name) => join(dir, name));
    writeFileSync(there, "{}");
    symlinkSync(there, link);
    const journal = RunJournal.create(join(dir, "run"), MANIFEST);
    for (const [id, outputFile] of [none, link, there].entries())
      journal.append(finished(id), { row: JSON.stringify(row(id)), output: null, outputFile });
    journal.flush();
    journal.close();
    expect(journal.missingOutputs).toBe(2);
    expect(lines("run/outputs.jsonl").map((line) => JSON.parse(line))).toMatchObject([
      { exampleId: 0, output: { notRecorded: `the file ${names[2]} was not in the shared folder` } },
      { exampleId: 1, output: { notRecorded: `the file ${names[1]} was not in the shared folder` } },
      { exampleId: 2, file: `outputs/${names[0]}` },
    ]);
    expect(existsSync(there)).toBe(false);
    expect(readRows(join(dir, "run"))).toHaveLength(3);
  });

  it("restores rows in the order they were written, with their outputs", () => {
    store(finished(1), finished(2, { evidence: { f1: "why" } }), finished(3, { output: null }));
    expect(readManifest(dir)).toEqual(MANIFEST);
    expect(readRows(dir)).toEqual([row(1), row(2), row(3)]);
    expect(lines("outputs.jsonl").map((line) => JSON.parse(line))).toEqual([
      { system: "s", dataset: "", exampleId: 1, trial: 0, output: { response: "answer 1" } },
      { system: "s", dataset: "", exampleId: 2, trial: 0, output: { response: "answer 2" }, evidence: { f1: "why" } },
    ]);
    expect(readdirSync(dir).sort()).toEqual(["manifest.json", "outputs.jsonl", "rows.jsonl"]);
  });

  it("has everything on disk after a flush, before it is closed", () => {
    const journal = RunJournal.create(dir, MANIFEST);
    journal.append(finished(1));
    expect(lines("rows.jsonl")).toHaveLength(0);
    journal.flush();
    expect(readRows(dir)).toEqual([row(1)]);
    expect(lines("outputs.jsonl")).toHaveLength(1);
    journal.close();
  });

  it("continues where it stopped", () => {
    store(finished(1));
    const { journal, rows, notes } = RunJournal.resume(dir);
    expect([rows, notes]).toEqual([[row(1)], []]);
    journal.append(finished(2));
    journal.flush();
    journal.close();
    expect(readRows(dir)).toEqual([row(1), row(2)]);
  });

  it("writes a large output to a separate file", () => {
    const response = "x".repeat((1 << 20) + 1);
    store(finished(1), finished(2, { output: { response } }));
    const [, large] = lines("outputs.jsonl").map((line) => JSON.parse(line));
    expect(large).toMatchObject({
      system: "s",
      exampleId: 2,
      file: expect.stringMatching(/^outputs\/[0-9a-f]{32}\.json$/),
    });
    expect(JSON.parse(readFileSync(path(large.file), "utf8"))).toMatchObject({ exampleId: 2, output: { response } });
  });

  it("names the file of a large output by its content, however it is encoded", () => {
    const response = 'a "quoted" 😀 line\n'.repeat(100_000);
    const output = { response, usage: { input: 1, output: 2 } };
    store(finished(1, { output, evidence: { em: "seen" } }));
    const [{ file }] = lines("outputs.jsonl").map((line) => JSON.parse(line));
    const whole = JSON.stringify({ ...pickTrialKey(row(1)), output, evidence: { em: "seen" } });
    expect(readFileSync(path(file), "utf8")).toBe(whole);
    expect(file).toBe(`outputs/${createHash("sha256").update(whole).digest("hex").slice(0, 32)}.json`);
    expect(readdirSync(path("outputs"))).toHaveLength(1);
  });

  it("records the row of a large output that JSON cannot hold", () => {
    const response = "x".repeat((1 << 20) + 1);
    store(finished(1, { output: { response, tokens: 1n } }));
    const [{ file }] = lines("outputs.jsonl").map((line) => JSON.parse(line));
    const { output } = JSON.parse(readFileSync(path(file), "utf8"));
    expect(output).toEqual({ notRecorded: expect.stringContaining("BigInt") });
  });

  it("records the row of an output that JSON cannot hold", () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    store(finished(1, { output: circle }), finished(2, { output: { tokens: 1n } }), finished(3));
    expect(readRows(dir)).toHaveLength(3);
    const outputs = lines("outputs.jsonl").map((line) => JSON.parse(line).output);
    expect(outputs).toEqual([
      { notRecorded: expect.stringContaining("circular") },
      { notRecorded: expect.stringContaining("BigInt") },
      { response: "answer 3" },
    ]);
  });

  it("reads from the summary whether a run is complete", () => {
    const journal = RunJournal.create(dir, MANIFEST);
    expect(isRunComplete(dir)).toBe(false);
    journal.writeSummary({ complete: false });
    expect(isRunComplete(dir)).toBe(false);
    journal.writeSummary({ complete: true });
    expect(isRunComplete(dir)).toBe(true);
    journal.close();
  });
});

describe("a damaged run", () => {
  it("loses only a torn last line, torn at any byte", () => {
    store(finished(1), finished(2, { row: row(2, { notes: ["schön ✓"] }) }));
    const whole = readFileSync(path("rows.jsonl"));
    const first = whole.indexOf("\n") + 1;
    for (let cut = first + 1; cut < whole.length; cut++) {
      writeFileSync(path("rows.jsonl"), whole.subarray(0, cut));
      expect(readRows(dir)).toEqual([row(1)]);
      const { journal, rows, notes } = RunJournal.resume(dir);
      journal.append(finished(3, { output: null }));
      journal.flush();
      journal.close();
      expect(rows).toEqual([row(1)]);
      expect(notes).toEqual([expect.stringContaining("rows.jsonl: a torn last line was removed")]);
      expect(readRows(dir)).toEqual([row(1), row(3)]);
    }
  });

  it("removes a torn output too", () => {
    store(finished(1), finished(2));
    truncateSync(path("outputs.jsonl"), readFileSync(path("outputs.jsonl")).length - 3);
    const { journal, rows, notes } = RunJournal.resume(dir);
    journal.close();
    expect(rows).toHaveLength(2);
    expect(notes).toEqual([expect.stringContaining("outputs.jsonl")]);
    expect(lines("outputs.jsonl").map((line) => JSON.parse(line).exampleId)).toEqual([1]);
  });

  it.each(["{ broken", "{}", "null"])("names an invalid line in the middle: %s", (broken) => {
    store(finished(1));
    appendFileSync(path("rows.jsonl"), `${broken}\n`);
    appendFileSync(path("rows.jsonl"), '{"system":"s","exampleId":2,"outcome":"pass"}\n');
    expect(() => RunJournal.resume(dir)).toThrow(RunFolderError);
    expect(() => readRows(dir)).toThrow(/rows\.jsonl:2 is not a row: .*Remove that line/);
    expect(existsSync(path("lock"))).toBe(false);
  });

  it("may have been killed before its first row", () => {
    store();
    rmSync(path("rows.jsonl"));
    rmSync(path("outputs.jsonl"));
    const { journal, rows } = RunJournal.resume(dir);
    journal.close();
    expect(rows).toEqual([]);
  });
});

describe("readManifest", () => {
  const refused: [string, string, RegExp][] = [
    [
      "a newer format",
      '{"schema":"assay.run/2"}',
      /has the format assay\.run\/2; this version reads up to .*Update Assay/,
    ],
    ["a foreign file", '{"name":"app","version":3}', /was not written by Assay/],
    ["a list", "[]", /was not written by Assay/],
    ["a torn file", '{"schema":', /cannot be read/],
    ["a file without a plan", '{"schema":"assay.run/1"}', /is incomplete/],
  ];

  it.each(refused)("rejects %s", (_, content, message) => {
    writeFileSync(path("manifest.json"), content);
    expect(() => readManifest(dir)).toThrow(RunFolderError);
    expect(() => readManifest(dir)).toThrow(message);
  });

  it("rejects what is not a run folder", () => {
    expect(() => readManifest(path("nowhere"))).toThrow(/There is no run folder/);
    expect(() => readManifest(dir)).toThrow(/is not a run folder: it has no manifest\.json/);
    writeFileSync(path("file"), "");
    expect(() => readManifest(path("file"))).toThrow(/is a file, not a run folder/);
  });
});

describe.skipIf(process.platform !== "linux")("a full disk", () => {
  it.each(["rows.jsonl", "outputs.jsonl"])("is reported when %s cannot grow, and the run is unlocked", (file) => {
    mkdirSync(dir, { recursive: true });
    symlinkSync("/dev/full", path(file));
    const journal = RunJournal.create(dir, MANIFEST);
    journal.append(finished(1));
    expect(() => journal.flush()).toThrow(JournalError);
    journal.append(finished(2));
    expect(() => journal.flush()).toThrow(/The disk is full .*Recorded trials are safe: free some space.*--resume/);
    expect(existsSync(path("lock"))).toBe(true);
    journal.close();
    expect(existsSync(path("lock"))).toBe(false);
  });

  it("never leaves a row whose output could not be written", () => {
    symlinkSync("/dev/full", path("outputs.jsonl"));
    const journal = RunJournal.create(dir, MANIFEST);
    journal.append(finished(1));
    expect(() => journal.flush()).toThrow(JournalError);
    journal.close();
    expect(readRows(dir)).toEqual([]);
  });
});

it("reports that a folder cannot be created", () => {
  writeFileSync(path("file"), "");
  expect(() => RunJournal.create(path("file/run"), MANIFEST)).toThrow(JournalError);
});
