import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import type { ScoringCost } from "../core/index.js";
import { CommandEvaluator } from "./command-evaluator.js";

let folder = "";
const opened: CommandEvaluator[] = [];
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "assay-score-"));
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((evaluator) => evaluator.close()));
  rmSync(folder, { recursive: true, force: true });
});

function open(answer: string): CommandEvaluator {
  const file = join(folder, "score.cjs");
  writeFileSync(
    file,
    `require("node:readline").createInterface({ input: process.stdin }).on("line", (line) => {
       const { id, example, output } = JSON.parse(line);
       process.stdout.write(JSON.stringify({ id, ...${answer} }) + "\\n");
     });`,
  );
  const evaluator = new CommandEvaluator({ command: `${process.execPath} ${file}`, fields: ["same"] });
  opened.push(evaluator);
  return evaluator;
}

const EXAMPLE = { id: 1, question: "?", answer: "Rome" };

it("scores with the example and the output, and counts what scoring costs", async () => {
  const evaluator = open(
    `{ scores: { same: Number(example.answer === output.response) }, measures: { length: 4 }, evidence: { same: "read" }, cost_usd: 0.25 }`,
  );
  const spent: ScoringCost[] = [];
  const context = {
    signal: new AbortController().signal,
    meter: { add: (cost: ScoringCost) => void spent.push(cost) },
  };
  expect(await evaluator.score(EXAMPLE, { response: "Rome" }, context)).toEqual({
    scores: { same: 1 },
    measures: { length: 4 },
    evidence: { same: "read" },
  });
  expect(await evaluator.score(EXAMPLE, { response: "Oslo" })).toMatchObject({ scores: { same: 0 } });
  expect(spent).toEqual([{ costUsd: 0.25 }]);
  expect([evaluator.name, evaluator.fields, evaluator.primaryFields]).toEqual(["score", ["same"], ["same"]]);
});

it.each([
  [`{}`, "printed an answer without scores"],
  [`{ scores: [1] }`, 'printed an array as "scores"'],
  [`{ scores: { same: "1" } }`, 'printed the string "1" as "same" of "scores", where a number is expected'],
  [`{ scores: { same: 1 }, evidence: { same: 3 } }`, 'the number 3 as "same" of "evidence"'],
  [`{ error: "no model" }`, "reported an error: no model"],
])("says what is wrong with an answer: %s", async (answer, text) => {
  await expect(open(answer).score(EXAMPLE, { response: "" })).rejects.toThrow(text);
});

it("is identified by its command and the content of its script", () => {
  const before = open(`{ scores: { same: 1 } }`).fingerprint();
  expect(open(`{ scores: { same: 1 } }`).fingerprint()).toEqual(before);
  expect(open(`{ scores: { same: 0 } }`).fingerprint()).not.toEqual(before);
});
