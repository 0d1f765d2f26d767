import { expect, it } from "vitest";
import { parseReport, runAssay } from "../src/testing/run-assay.js";
import { TempProject } from "../src/testing/temp-project.js";

/** Counts the characters of an answer: a number outside of [0, 1]. */
const LENGTHS = `
export default {
  name: "lengths",
  fields: ["answered"],
  primaryFields: ["answered"],
  score: (_, output) => ({ scores: { answered: 1 }, measures: { characters: output.response.length } }),
};`;

const QUESTIONS = Array.from({ length: 8 }, (_, id) => JSON.stringify({ id, question: `${id}?`, answer: "x" })).join(
  "\n",
);

/** Answers with a number of letters for each example, so that differences vary. */
const speak = (letters: number) =>
  `export default function speak${letters}({ id }) { return { response: "x".repeat(${letters} * (Number(id) + 1)) }; }`;

it("takes a measure from the evaluator to rows, summary, table, gates and comparisons", async () => {
  const project = new TempProject({
    "lengths.mjs": LENGTHS,
    "questions.jsonl": QUESTIONS,
    "short.mjs": speak(2),
    "long.mjs": speak(10),
  });
  const run = ["--system", "./short.mjs", "--system", "./long.mjs", "--dataset", "questions.jsonl"];
  const gate = ["--evaluator", "./lengths.mjs", "--fail-over", "measure:characters=20"];
  const ran = await runAssay(project.dir, ...run, ...gate, "--output", "json");
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain("measure:characters = 45 is over 20");
  const { summary, rows } = parseReport({ ...ran, code: 0 });
  const [short = "", long = ""] = Object.keys(summary);
  expect(summary[short]).toMatchObject({ "measure:characters": 9, "measure:characters_n": 8, pass_rate: 1 });
  expect(summary[long]).toMatchObject({ "measure:characters": 45 });
  expect(rows[0]).toMatchObject({ measures: { characters: 2 }, scores: { answered: 1 } });
  const { stdout: table } = await runAssay(project.dir, "report", "latest", "--output", "table");
  expect(table).toMatch(/characters/);
  const compare = ["compare", "latest", "--system-a", short, "--system-b", long];
  const compared = await runAssay(project.dir, ...compare, "--metric", "measure:characters");
  expect(compared.code).toBe(0);
  expect(compared.stdout).toMatch(/measure:characters \| +9 \| +45 \| .*significantly different/);
  const missing = await runAssay(project.dir, ...run, "--evaluator", "./lengths.mjs", "--fail-over", "measure:words=3");
  expect(missing.code).toBe(2);
  expect(missing.stderr).toContain("measure:words");
});
