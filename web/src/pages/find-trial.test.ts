import { expect, test } from "vitest";
import { createEmbeddedSource } from "../data/index.js";
import { createSampleReport } from "../data/report-testing.js";
import { findTrialByOutcome } from "./find-trial.js";

const SYSTEMS = [
  { system: "a", outcomes: ["pass", "pass", "fail", "fail"] as const },
  { system: "b", outcomes: ["fail", "pass"] as const },
];
const key = (system: string) => ({ system, dataset: "qa", exampleId: "e1", trial: 0 });

test("finds the first trial of the system with an outcome", async () => {
  const source = createEmbeddedSource(createSampleReport(SYSTEMS));
  expect(await findTrialByOutcome(source, "r1", { key: key("a"), outcome: "fail" })).toEqual({ ...key("a"), trial: 2 });
  expect(await findTrialByOutcome(source, "r1", { key: key("a"), outcome: "pass" })).toEqual(key("a"));
  expect(await findTrialByOutcome(source, "r1", { key: key("b"), outcome: "pass" })).toEqual({ ...key("b"), trial: 1 });
  expect(await findTrialByOutcome(source, "r1", { key: key("b"), outcome: "error" })).toEqual(key("b"));
});

test("searches the rows when the trial is not in the file", async () => {
  const source = createEmbeddedSource(createSampleReport(SYSTEMS, { leftOut: [0] }));
  expect(await findTrialByOutcome(source, "r1", { key: key("a"), outcome: "fail" })).toEqual({ ...key("a"), trial: 2 });
  const unknown = { ...key("a"), exampleId: 1 };
  expect(await findTrialByOutcome(source, "r1", { key: unknown, outcome: "fail" })).toEqual(unknown);
});
