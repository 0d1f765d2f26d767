import { describe, expect, test } from "vitest";
import { createRunCard, createSystemCard } from "../../../../src/report/dashboard/card-testing.js";
import type { CardFigure } from "../../../../src/report/dashboard/contract.js";
import type { LeaderboardEntry } from "../run-groups.js";
import { describeCertainty, listFigureChanges, summarizeChanges } from "./changes.js";

type Figures = Partial<Record<CardFigure, number>>;

function rate(value: number, half?: number): Figures {
  if (half === undefined) return { pass_rate: value };
  return { pass_rate: value, pass_rate_ci_low: value - half, pass_rate_ci_high: value + half };
}

function changes(before: Figures, after: Figures) {
  return listFigureChanges(createSystemCard("s", before), createSystemCard("s", after));
}

describe("a change since the previous run", () => {
  test("has a direction, and says whether the intervals overlap", () => {
    const [apart] = changes(rate(0.5, 0.05), rate(0.7, 0.05));
    expect(apart).toMatchObject({ direction: "up", isBetter: true, certainty: "apart", step: "0.50 → 0.70" });
    const [overlap] = changes(rate(0.6, 0.1), rate(0.5, 0.1));
    expect(overlap).toMatchObject({ direction: "down", isBetter: false, certainty: "overlap" });
  });

  test("has unknown certainty without both intervals", () => {
    const [change] = changes(rate(0.5, 0.1), rate(0.9));
    expect(change && describeCertainty(change)).toBe("no interval");
  });

  test("is neither better nor worse when the value is the same", () => {
    const [change] = changes(rate(0.5, 0.1), rate(0.5, 0.1));
    expect(change).toMatchObject({ direction: "same", isBetter: null, step: "0.50" });
    expect(change && describeCertainty(change)).toBe("");
  });

  test("is better when costs and times fall", () => {
    const before = { cost_per_pass_usd: 2, median_time_to_success_ms: 1000 };
    const found = changes(before, { cost_per_pass_usd: 1, median_time_to_success_ms: 2000 });
    expect(found.map(({ figure, isBetter, step }) => [figure, isBetter, step])).toEqual([
      ["cost_per_pass_usd", true, "$2.00 → $1.00 (−50 %)"],
      ["median_time_to_success_ms", false, "1.00 s → 2.00 s (+100 %)"],
    ]);
  });

  test("needs the figure in both runs", () => {
    expect(changes({ pass_rate: 0.5 }, { mean_score: 0.5 })).toEqual([]);
  });
});

function line(name: string, before: Figures | null, after: Figures): LeaderboardEntry {
  const run = createRunCard(name);
  const previous = before === null ? null : { run, card: createSystemCard(name, before) };
  return {
    key: name,
    name,
    run,
    card: createSystemCard(name, after),
    previous,
    rank: null,
    doubt: null,
    passedOver: null,
  };
}

test("lists certain changes first, then large ones, and counts the rest", () => {
  const news = summarizeChanges([
    line("large", rate(0.2, 0.5), rate(0.8, 0.5)),
    line("small", rate(0.2, 0.5), rate(0.3, 0.5)),
    line("sure", rate(0.5, 0.01), rate(0.55, 0.01)),
    line("same", rate(0.5), rate(0.5)),
    line("new", null, rate(0.5)),
  ]);
  expect(news.moved.map(({ entry }) => entry.name)).toEqual(["sure", "large", "small"]);
  expect([news.unchanged, news.fresh]).toEqual([1, 1]);
});
