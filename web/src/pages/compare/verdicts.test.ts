import { expect, test } from "vitest";
import type { RunCard } from "../../../../src/report/dashboard/contract.js";
import { formatRunLabel, sortByRegression, summarizeVerdicts, type VerdictLine } from "./verdicts.js";

test("a run is named by its date first", () => {
  const card = { title: "Weekly", createdAt: "2026-11-16T08:30:00.000Z", status: "stopped" } as unknown as RunCard;
  expect(formatRunLabel(card)).toMatch(/^1\d Nov 2026.* · Weekly · stopped$/);
  expect(formatRunLabel({ ...card, status: "complete" })).toMatch(/ · Weekly$/);
});

test("counts verdicts, losses first", () => {
  const verdicts = (["better", "inconclusive", "worse", "inconclusive"] as const).map((lift) => ({ lift }));
  expect(summarizeVerdicts(verdicts)).toBe(
    "4 systems: 1 worse than A, 1 better than A, 2 without a significant difference in quality.",
  );
});

test("shows regressions first, and then the largest loss", () => {
  const line = (address: string, lift: string, difference: number) =>
    ({
      address,
      verdict: { lift },
      comparison: { metrics: [{ metric: "pass_rate", role: "quality", difference }] },
    }) as unknown as VerdictLine;
  const lines = [
    line("better", "better", 0.2),
    line("same", "inconclusive", 0),
    line("lower", "inconclusive", -0.1),
    line("worse", "worse", -0.05),
  ];
  expect(sortByRegression(lines).map(({ address }) => address)).toEqual(["worse", "lower", "same", "better"]);
});
