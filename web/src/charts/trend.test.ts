import { expect, test } from "vitest";
import type { CardFigure, RunCard } from "../../../src/report/dashboard/contract.js";
import { buildTrendLines, chooseTrendScale, computeTrendLayout } from "./trend.js";

/** A run of systems with their figures; null is a system that was not measured. */
function createRun(day: number, values: Record<string, number | null>): RunCard {
  const systems = Object.entries(values).map(([system, value]) => ({
    system,
    figures: { cost_per_pass_usd: value } as Record<CardFigure, number | null>,
    outcomes: { pass: 1, fail: 0, error: 0, unscored: 0, skipped: 0 },
  }));
  return { id: `${day}`, title: "", createdAt: `2026-10-0${day}T12:00:00Z`, systems } as unknown as RunCard;
}

const figure = "cost_per_pass_usd";
const drawing = { figure, scale: "linear", width: 700 } as const;

test("blank points have a lane below the values, and do not lie on each other", () => {
  const names = Array.from({ length: 9 }, (_, index) => `s${index}`);
  const blank = Object.fromEntries(names.map((name) => [name, null]));
  const known = Object.fromEntries(names.map((name) => [name, 0]));
  const runs = [createRun(1, blank), createRun(2, known), createRun(9, blank)];
  const near = { ...createRun(9, blank), createdAt: "2026-10-09T12:01:00Z" };
  const { lines, area, frame, height } = computeTrendLayout(buildTrendLines([...runs, near], figure), drawing);
  const spots = lines.flatMap((line) => line.spots);
  for (const { y, isBlank } of spots) expect(y > area.bottom).toBe(isBlank);
  const blanks = spots.filter(({ isBlank }) => isBlank);
  expect(blanks).toHaveLength(27);
  for (const [index, spot] of blanks.entries()) {
    expect(spot.x).toBeGreaterThanOrEqual(area.left);
    expect(spot.x).toBeLessThanOrEqual(area.right);
    expect(spot.y).toBeLessThan(frame.bottom);
    for (const other of blanks.slice(index + 1))
      expect(Math.hypot(spot.x - other.x, spot.y - other.y)).toBeGreaterThanOrEqual(10);
  }
  expect(frame.bottom).toBeLessThan(height);
});

test("there is no lane when every point has a value", () => {
  const { area, frame } = computeTrendLayout(buildTrendLines([createRun(1, { a: 1 })], figure), drawing);
  expect(frame).toEqual(area);
});

test("every line has a name at its end, also one without a value", () => {
  const lines = buildTrendLines([createRun(1, { a: 1, b: 2, c: null }), createRun(2, { a: 3 })], figure);
  const { labels, area } = computeTrendLayout(lines, drawing);
  expect(labels.map(({ name }) => name).sort()).toEqual(["a", "b", "c"]);
  for (const { labelX, width } of labels) {
    expect(labelX).toBeGreaterThan(area.right);
    expect(labelX + width).toBeLessThanOrEqual(700);
  }
});

test("the chart grows when it has more names than fit beside it", () => {
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`s${index}`, 1]));
  const { height, labels, area } = computeTrendLayout(buildTrendLines([createRun(1, many)], figure), drawing);
  expect(height).toBeGreaterThan(600);
  expect(labels.at(-1)?.labelY).toBeLessThanOrEqual(area.bottom);
});

test("one slow or expensive system makes the axis logarithmic", () => {
  const scale = (values: Record<string, number | null>) =>
    chooseTrendScale(buildTrendLines([createRun(1, values)], figure));
  expect(scale({ a: 1, b: 2 })).toBe("linear");
  expect(scale({ a: 1, b: 20 })).toBe("log");
  expect(scale({ a: null, b: 0 })).toBe("linear");
});
