import { expect, test } from "vitest";
import type { EffortCurve, EffortPoint } from "../../../src/report/dashboard/contract.js";
import { buildEffortTable, computeEffortLayout, describeEfforts } from "./effort.js";

function makePoint(effort: EffortPoint["effort"], quality: number | null, costUsd: number | null): EffortPoint {
  const interval = quality === null ? { low: null, high: null } : { low: quality - 0.1, high: quality + 0.1 };
  const figures = { costPerPassUsd: costUsd, latencySeconds: 1, reasoningTokens: 20, outputTokens: 100 };
  return { system: `m@${effort}`, effort, quality, costUsd, ...interval, ...figures };
}

function makeCurve(...points: EffortPoint[]): EffortCurve {
  return { name: "m", quality: "pass_rate", points };
}

const look = () => ({ color: "red", shape: "circle" as const });

test("draws one line through the efforts of a model, labeled by effort", () => {
  const curve = makeCurve(makePoint("low", 0.4, 0.001), makePoint("high", 0.6, 0.01), makePoint(8000, 0.8, 0.1));
  const { lines, labels, marks, points } = computeEffortLayout([curve], 600, look);
  expect(lines[0]?.path.split(/[ML]/).filter(Boolean)).toHaveLength(3);
  expect(labels.map(({ text }) => text)).toEqual(["low", "high", "8000"]);
  expect(points.map(({ x }) => x)).toEqual(points.map(({ x }) => x).sort((a, b) => a - b));
  expect(marks[0]).toMatchObject({ title: "m, effort low", selection: { system: "m@low" } });
});

test("leaves out points without quality, and uses tokens where no price is known", () => {
  const unpriced = [makeCurve(makePoint("low", 0.4, null), makePoint("high", null, null))];
  const { unit, points } = computeEffortLayout(unpriced, 600, look);
  expect([unit, points.length]).toEqual(["tokens", 1]);
  expect(describeEfforts(unpriced)).toMatch(/^No price is known/);
  expect(describeEfforts([makeCurve(makePoint("low", null, 1))])).toMatch(/^There is nothing to draw/);
  expect(buildEffortTable(unpriced).rows[1]?.slice(0, 3)).toEqual(["m", "high", "–"]);
});

test("says what more effort brings and costs", () => {
  const curve = makeCurve(makePoint(null, 0.4, 0.001), makePoint("max", 0.8, 0.1));
  expect(describeEfforts([curve])).toBe("m goes from 0.4 at default ($0.0010) to 0.8 at max ($0.1000).");
});
