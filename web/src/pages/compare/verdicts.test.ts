import { expect, test } from "vitest";
import type { RunCard } from "../../../../src/report/dashboard/contract.js";
import { formatRunLabel, summarizeVerdicts } from "./verdicts.js";

test("a run is named by its date first", () => {
  const card = { title: "Weekly", createdAt: "2026-11-16T08:30:00.000Z", status: "stopped" } as unknown as RunCard;
  expect(formatRunLabel(card)).toMatch(/^1\d Nov 2026.* · Weekly · stopped$/);
  expect(formatRunLabel({ ...card, status: "complete" })).toMatch(/ · Weekly$/);
});

test("counts verdicts, losses first", () => {
  const verdicts = (["better", "inconclusive", "worse", "inconclusive"] as const).map((lift) => ({ lift }));
  expect(summarizeVerdicts(verdicts)).toBe(
    "4 systems compared: 1 worse in B, 1 better in B, 2 without a significant difference in quality.",
  );
});
