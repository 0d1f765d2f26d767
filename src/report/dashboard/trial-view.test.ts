import { describe, expect, it } from "vitest";
import { RunFolderError } from "../../core/errors.js";
import type { Grade } from "../../core/grader.js";
import { makeRow, type TrialKey } from "../../core/row.js";
import { createEmptyFolder, writeRunFolder } from "./trial-testing.js";
import { loadTrialView, readTrialText } from "./trial-view.js";

const KEY: TrialKey = { system: "a", dataset: "d", exampleId: 1, trial: 0 };
const HOSTILE = "</script><!-- \u2028 \u001b[31mred\u202e <script>alert(1)</script>";

const GRADE: Grade = { name: "g", type: "t", kind: "code", passed: true, score: 1, evidence: "found", status: "ok" };

function about(dir: string | null, rows: ReturnType<typeof writeRunFolder>, key = KEY) {
  return { dir, rows, key, threshold: 0.7, run: "r", systems: {} };
}

describe("loadTrialView", () => {
  it("shows the example, the output and the evidence unchanged", async () => {
    const dir = createEmptyFolder();
    const scores = { f1: 0.5 };
    const rows = writeRunFolder(
      dir,
      [
        {
          row: { ...KEY, outcome: "fail", scores, primaryField: "f1", costUsd: 0.1 },
          output: { extra: { n: 1 }, context: "c", response: HOSTILE, id: 1, dataset: "d" },
          evidence: { f1: HOSTILE },
          grades: [GRADE],
        },
        { row: { ...KEY, system: "b", outcome: "pass", scores: { score: 1 } }, output: null },
        { row: { ...KEY, exampleId: 2, outcome: "pass" }, output: null },
      ],
      [
        {
          id: 1,
          dataset: "d",
          topic: "t",
          answers: ["x"],
          answer: "x",
          context: "long",
          question: HOSTILE,
          graders: [1],
        },
      ],
    );
    const view = await loadTrialView(about(dir, rows));
    expect(view).toMatchObject({
      run: "r",
      threshold: 0.7,
      evidence: { f1: HOSTILE },
      grades: [GRADE],
      timeline: null,
    });
    expect(view.row).toMatchObject({ system: "a", costUsd: 0.1, usage: null });
    expect(view.example?.map(({ name, kind }) => `${name} ${kind}`)).toEqual([
      "question text",
      "context text",
      "answer text",
      "answers json",
      "topic text",
      "graders json",
    ]);
    expect(view.output).toEqual([
      { name: "response", text: HOSTILE, length: HOSTILE.length, kind: "text" },
      { name: "context", text: "c", length: 1, kind: "text" },
      { name: "extra", text: '{\n  "n": 1\n}', length: 12, kind: "json" },
    ]);
    expect(view.siblings).toEqual([{ ...KEY, system: "b", outcome: "pass", score: 1 }]);
    expect(JSON.parse(JSON.stringify(view))).toEqual(view);
  });

  it("reports tokens and cost by class, at the price of the run", async () => {
    const usage = { input: 10, output: 8, cacheRead: 20, reasoning: 3 };
    const rows = [makeRow({ ...KEY, outcome: "pass", usage })];
    const each = { input: 1e12, output: 5e12, cacheRead: 1e11, cacheWrite: 1e12, cacheWrite1h: 1e12 };
    const limits = { price: { ...each, source: "test" }, maxCostUsd: null, hardTimeoutMs: null };
    const priced = await loadTrialView({ ...about(null, rows), systems: { a: { fingerprint: "f", limits } } });
    expect(priced.classes).toEqual([
      { name: "input", tokens: 10, costUsd: 10 },
      { name: "cacheRead", tokens: 20, costUsd: 2 },
      { name: "cacheWrite", tokens: 0, costUsd: 0 },
      { name: "output", tokens: 5, costUsd: 25 },
      { name: "reasoning", tokens: 3, costUsd: 15 },
    ]);
    const unpriced = await loadTrialView(about(null, rows));
    expect(unpriced.classes.map(({ tokens, costUsd }) => [tokens, costUsd])).toEqual(
      [10, 20, 0, 5, 3].map((tokens) => [tokens, null]),
    );
    expect((await loadTrialView(about(null, [makeRow({ ...KEY, outcome: "error" })]))).classes).toEqual([]);
  });

  it("shows the work of an agent and its changed files", async () => {
    const dir = createEmptyFolder();
    const events = [{ type: "assistant_message", text: "Done.", timestamp: 5 }];
    const changes = [{ path: "a.txt", status: "modified" as const, content: "2\n" }];
    const rows = writeRunFolder(
      dir,
      [
        {
          row: { ...KEY, outcome: "pass" },
          output: { trajectory: { events }, workspace: { changes, incomplete: "huge" } },
        },
      ],
      [{ id: 1, dataset: "d", question: "?", environment: { files: [{ dest: "a.txt", content: "1\n" }] } }],
    );
    const view = await loadTrialView(about(dir, rows));
    expect(view.timeline).toMatchObject([{ kind: "says", text: "Done.", atMs: 0 }]);
    expect(view.changes).toEqual([{ path: "a.txt", change: "changed", diff: ["@@ -1 +1 @@", "-1", "+2"] }]);
    expect(view.changesIncomplete).toBe("huge");
    expect(view.output).toEqual([]);
  });

  it("cuts long texts, and returns them whole on demand", async () => {
    const dir = createEmptyFolder();
    const response = `${"é<".repeat(2_500_000)}</script>`;
    const rows = writeRunFolder(
      dir,
      [{ row: { ...KEY, outcome: "pass" }, output: { response } }],
      [{ id: 1, dataset: "d", question: "Q" }],
    );
    const [field] = (await loadTrialView(about(dir, rows))).output;
    expect(field?.text).toBe(response.slice(0, 100_000));
    expect(field?.length).toBe(response.length);
    expect(await readTrialText({ dir, key: KEY, of: "output", name: "response" })).toBe(response);
    expect(await readTrialText({ dir, key: KEY, of: "example", name: "question" })).toBe("Q");
    await expect(readTrialText({ dir, key: KEY, of: "example", name: "no" })).rejects.toThrow(/stores no field "no"/);
  });

  it("has only the row where nothing else is stored", async () => {
    const rows = [makeRow({ ...KEY, outcome: "error" })];
    for (const dir of [null, createEmptyFolder()])
      expect(await loadTrialView(about(dir, rows))).toMatchObject({
        example: null,
        output: [],
        timeline: null,
        grades: [],
      });
    const one = makeRow({ ...KEY, exampleId: "1", outcome: "error" });
    await expect(loadTrialView(about(null, [one]))).rejects.toThrow(RunFolderError);
  });
});
