import { expect, test } from "vitest";
import { createLinearAxis, createLogAxis } from "../axes/axis.js";
import { formatNumberTick } from "../axes/ticks.js";
import { buildHullPath, buildStepPath } from "./front.js";

const y = createLinearAxis({ values: [0, 1], range: [100, 0], text: formatNumberTick, count: 5 });

test("a front is a staircase, never a slope", () => {
  const places = [
    { x: 10, y: 90 },
    { x: 50, y: 40 },
  ];
  expect(buildStepPath(places, 100)).toBe("M10,90H50V40H100");
  expect(buildStepPath([], 100)).toBe("");
});

test("half the way in dollars is half the way in quality", () => {
  const members = [
    { cost: 1, quality: 0 },
    { cost: 100, quality: 1 },
  ];
  const x = createLogAxis({ values: [1, 100], range: [0, 400], text: formatNumberTick, count: 5 });
  const places = buildHullPath(members, x, y)
    .slice(1)
    .split("L")
    .map((place) => place.split(",").map(Number));
  const half = x.toPixel(50.5);
  const near = places.reduce((best, place) =>
    Math.abs((place[0] ?? 0) - half) < Math.abs((best[0] ?? 0) - half) ? place : best,
  );
  expect(Math.abs((near[1] ?? 0) - 50)).toBeLessThan(10);
  expect(places).toHaveLength(62);
});

test("a hull that begins with a free system draws without NaN", () => {
  const x = createLogAxis({ values: [0, 5], range: [0, 400], text: formatNumberTick, count: 5 });
  const path = buildHullPath(
    [
      { cost: 0, quality: 0.2 },
      { cost: 5, quality: 0.9 },
    ],
    x,
    y,
  );
  expect(path).not.toMatch(/NaN|Infinity/);
  expect(buildHullPath([{ cost: 1, quality: 1 }], x, y)).toBe("");
});
