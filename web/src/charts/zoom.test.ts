import fc from "fast-check";
import { expect, test } from "vitest";
import { createLinearAxis, createLogAxis, createTimeAxis, formatNumberTick } from "./axes.js";
import { computeHalfBox, computeView, spanBox } from "./zoom.js";

const area = { left: 40, right: 640, top: 20, bottom: 320 };
const x = { range: [area.left, area.right], text: formatNumberTick, count: 6 } as const;
const y = { range: [area.bottom, area.top], text: formatNumberTick, count: 6 } as const;

test("a box from any corner to any other is the same", () => {
  const [a, b] = [
    { x: 100, y: 100 },
    { x: 200, y: 250 },
  ];
  const box = { x: 100, y: 100, width: 100, height: 150 };
  expect(spanBox([a, b], { area, isHorizontal: false })).toEqual(box);
  expect(spanBox([b, a], { area, isHorizontal: false })).toEqual(box);
});

test("a flat box spans all of the height, and a narrow one all of the width", () => {
  const from = { x: 100, y: 100 };
  expect(spanBox([from, { x: 200, y: 103 }], { area, isHorizontal: false })).toMatchObject({ y: 20, height: 300 });
  expect(spanBox([from, { x: 103, y: 200 }], { area, isHorizontal: false })).toMatchObject({ x: 40, width: 600 });
  expect(spanBox([from, { x: 200, y: 200 }], { area, isHorizontal: true })).toMatchObject({ y: 20, height: 300 });
});

test("zooming in around a mark at the edge stays inside the area", () => {
  expect(computeHalfBox(area, { x: 40, y: 320 })).toEqual({ x: 40, y: 170, width: 300, height: 150 });
  expect(computeHalfBox(area, undefined)).toEqual({ x: 190, y: 95, width: 300, height: 150 });
});

test("what was in the box fills the chart, on every kind of axis", () => {
  const values = [1, 1e3];
  const kinds = [
    (view?: readonly [number, number]) => createLogAxis({ ...x, values, view }),
    (view?: readonly [number, number]) => createLinearAxis({ ...x, values, view }),
    (view?: readonly [number, number]) => createTimeAxis({ ...x, values, view }),
  ];
  const side = fc.integer({ min: 40, max: 340 });
  fc.assert(
    fc.property(fc.constantFrom(...kinds), side, fc.integer({ min: 20, max: 300 }), (create, left, width) => {
      const upright = createLinearAxis({ ...y, values: [0, 1] });
      const view = computeView({ x: left, y: 100, width, height: 100 }, { x: create(), y: upright });
      if (view === null) throw new Error("The box can be drawn.");
      const [low, high] = view.x;
      expect(create(view.x).toPixel(low)).toBeCloseTo(area.left, 6);
      expect(create(view.x).toPixel(high)).toBeCloseTo(area.right, 6);
      expect(create(view.x).ticks.every(({ at }) => at >= area.left - 0.01 && at <= area.right + 0.01)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

test("zero keeps its place while the view begins with it, and is gone after that", () => {
  const values = [0, 1, 1000];
  const all = createLogAxis({ ...x, values });
  expect(all.toValue(45)).toBe(0);
  const withZero = createLogAxis({ ...x, values, view: [0, 10] });
  expect(withZero.zeroPosition).not.toBeNull();
  expect(withZero.toPixel(10)).toBeCloseTo(area.right);
  const without = createLogAxis({ ...x, values, view: [1, 10] });
  expect(without.zeroPosition).toBeNull();
  expect(without.toPixel(0)).toBeLessThan(area.left);
});

test("a box too small to have an axis zooms nowhere", () => {
  const axes = { x: createLinearAxis({ ...x, values: [1, 1 + 1e-7] }), y: createLinearAxis({ ...y, values: [0, 1] }) };
  expect(computeView({ x: 100, y: 100, width: 10, height: 100 }, axes)).toBeNull();
});
