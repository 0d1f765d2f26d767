import fc from "fast-check";
import { expect, test } from "vitest";
import { createLinearAxis, createLogAxis, formatNumberTick } from "./axes.js";
import { estimateTextWidth } from "./names.js";
import { buildHullPath, buildStepPath, listStepBoxes, placeLabels } from "./scatter.js";

const y = createLinearAxis({ values: [0, 1], range: [100, 0], text: formatNumberTick, count: 5 });

test("draws a front as a staircase, never as a slope", () => {
  const places = [
    { x: 10, y: 90 },
    { x: 50, y: 40 },
  ];
  expect(buildStepPath(places, 100)).toBe("M10,90H50V40H100");
  expect(buildStepPath([], 100)).toBe("");
});

test("draws half the dollars between two systems at half their difference in quality", () => {
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

test("draws a hull that begins with a free system without NaN", () => {
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

const area = { left: 0, right: 600, top: 0, bottom: 300 };
const named = fc
  .record({
    name: fc.string({ minLength: 1, maxLength: 40 }),
    x: fc.double({ min: 0, max: 600, noNaN: true }),
    y: fc.double({ min: 0, max: 300, noNaN: true }),
  })
  .map((place) => ({ ...place, text: place.name, size: 6, isQuiet: false }));
const mark = (text: string, x: number, y: number) => ({ name: text, text, x, y, size: 6, isQuiet: false });

test("puts the label of a single mark to its upper right", () => {
  expect(placeLabels([mark("a", 100, 100)], { area })).toEqual([
    { name: "a", text: "a", x: 106, y: 95, isQuiet: false, leader: null },
  ]);
});

test("puts the label to the left at the right edge", () => {
  const [label] = placeLabels([mark("system", 595, 100)], { area });
  expect(label?.x).toBeLessThan(560);
});

test("moves a label away from a line", () => {
  const lines = listStepBoxes(
    [
      { x: 0, y: 90 },
      { x: 300, y: 40 },
    ],
    600,
  );
  const [label] = placeLabels([mark("system", 100, 100)], { area, lines });
  expect(label?.y).toBeGreaterThan(100);
});

test("lets a line cross a name rather than run along it", () => {
  const across = listStepBoxes([{ x: 0, y: 160 }], 600);
  const upright = Array.from({ length: 60 }, (_, place) => ({ x: place * 10, y: 0, width: 2, height: 300 }));
  const [label] = placeLabels([mark("system", 300, 150)], { area, lines: [...across, ...upright] });
  expect(Math.abs((label?.y ?? 160) - 4 - 160)).toBeGreaterThan(8);
});

test("labels every mark of a crowd, some with a leader line", () => {
  const marks = Array.from({ length: 12 }, (_, index) =>
    mark(`system-${index}`, 300 + (index % 4) * 8, 140 + index * 2),
  );
  const labels = placeLabels(marks, { area });
  expect(labels).toHaveLength(12);
  expect(labels.some(({ leader }) => leader !== null)).toBe(true);
});

const HEIGHT = 16;
const toBox = ({ x, y, text }: { x: number; y: number; text: string }) => ({
  left: x,
  right: x + estimateTextWidth(text),
  top: y - 12,
  bottom: y - 12 + HEIGHT,
});
type Rectangle = ReturnType<typeof toBox>;
const isApart = (a: Rectangle, b: Rectangle) =>
  a.right <= b.left + 0.001 || b.right <= a.left + 0.001 || a.bottom <= b.top + 0.001 || b.bottom <= a.top + 0.001;

test("labels never overlap each other or a mark, and stay inside the area", () => {
  fc.assert(
    fc.property(fc.array(named, { maxLength: 40 }), (marks) => {
      const boxes = placeLabels(marks, { area }).map(toBox);
      for (const [index, box] of boxes.entries()) {
        expect(box.left).toBeGreaterThanOrEqual(0);
        expect(box.right).toBeLessThanOrEqual(600.001);
        for (const other of boxes.slice(index + 1)) expect(isApart(box, other)).toBe(true);
        for (const { x, y: down, size } of marks)
          expect(isApart(box, { left: x - size, right: x + size, top: down - size, bottom: down + size })).toBe(true);
      }
    }),
    { numRuns: 50 },
  );
});

test("every mark has a label while there is room, wherever the marks are", () => {
  const few = fc.array(fc.record({ x: fc.integer({ min: 0, max: 600 }), y: fc.integer({ min: 0, max: 300 }) }), {
    maxLength: 12,
  });
  fc.assert(
    fc.property(few, (places) => {
      const marks = places.map((place, index) => mark(`system-${index}`, place.x, place.y));
      expect(placeLabels(marks, { area })).toHaveLength(marks.length);
    }),
    { numRuns: 200 },
  );
});

test("a label that would lie on a line moves away with a leader", () => {
  const lines = listStepBoxes([{ x: 0, y: 100 }], 600);
  const [label] = placeLabels([mark("system", 300, 100)], { area, lines });
  if (label === undefined) throw new Error("The mark has no label.");
  const { top, bottom } = toBox(label);
  expect(top >= 101 || bottom <= 99).toBe(true);
});
