import { expect, it } from "vitest";
import { makeRow } from "../core/row.js";
import { createReasoningColumns } from "./reasoning.js";

const row = (system: string, usage: { input: number; output: number; reasoning?: number } | null) =>
  makeRow({ system, exampleId: 1, outcome: "pass", usage });

it("shows means and the share of the output for each system", () => {
  const columns = createReasoningColumns([
    row("m@low", { input: 1, output: 100, reasoning: 50 }),
    row("m@low", { input: 1, output: 300, reasoning: 150 }),
    row("m@low", { input: 1, output: 999 }),
    row("plain", { input: 1, output: 10 }),
    row("none", null),
  ]);
  const cells = (system: string) => columns?.map(({ cell }) => cell({ system, summary: {} }));
  expect(columns?.map(({ title }) => title)).toEqual(["system", "reasoning", "output", "share"]);
  expect(cells("m@low")).toEqual(["m@low", "100", "200", "50 %"]);
  expect(cells("plain")).toEqual(["plain", "–", "–", "–"]);
});

it("is left out if no row reports any", () => {
  expect(createReasoningColumns([row("m", { input: 1, output: 10, reasoning: 0 }), row("n", null)])).toBeNull();
});
