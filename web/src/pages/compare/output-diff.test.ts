import { expect, test } from "vitest";
import { createEmbeddedSource } from "../../data/index.js";
import { createSampleReport } from "../../data/report-testing.js";
import { loadSideText, loadTrialPair } from "./output-diff.js";

const OUTPUT = [
  { name: "response", text: "yes", length: 3, kind: "text" as const },
  { name: "context", text: "The beginning", length: 5000, kind: "text" as const },
];
const source = createEmbeddedSource(
  createSampleReport(
    [
      { system: "a", outcomes: ["fail", "pass"] },
      { system: "b", outcomes: ["pass", "fail"] },
    ],
    { output: OUTPUT },
  ),
);
const task = { dataset: "qa", exampleId: "e1" };
const side = (system: string) => ({ run: "r1", system, task, named: undefined, ended: undefined });

test("shows trials with the wanted outcomes, unless the address names others", async () => {
  const numbers = async (a: object, b: object) => {
    const both = await loadTrialPair(source, { ...side("a"), ...a }, { ...side("b"), ...b });
    return [both.a.row.trial, both.b.row.trial];
  };
  expect(await numbers({}, {})).toEqual([0, 0]);
  expect(await numbers({ ended: "pass" }, { ended: "fail" })).toEqual([1, 1]);
  expect(await numbers({ ended: "pass", named: "0" }, { ended: "fail" })).toEqual([0, 1]);
});

test("compares the beginning of a text when the file has no more", async () => {
  const { a: view } = await loadTrialPair(source, side("a"), side("b"));
  const text = (name: string | undefined) => loadSideText(source, "r1", { view, name });
  expect(await text("response")).toEqual({ text: "yes", isCut: false });
  expect(await text("context")).toEqual({ text: "The beginning", isCut: true });
  expect(await text(undefined)).toEqual({ text: "", isCut: false });
});
