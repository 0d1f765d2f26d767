import fc from "fast-check";
import { expect, test } from "vitest";
import { type Axis, linearAxis, logAxis, logTicks, timeAxis } from "./axis.js";
import { numberTick } from "./ticks.js";

const value = fc.oneof(fc.double({ min: 1e-9, max: 1e6, noNaN: true }), fc.constant(0), fc.constant(null));
const options = { reach: [40, 640] as const, text: numberTick, count: 6 };

function isSound({ place, ticks, lane }: Axis, values: readonly (number | null)[], air = 0): void {
  for (const known of values.filter((item) => item !== null)) {
    expect(place(known)).toBeGreaterThanOrEqual(40 - air);
    expect(place(known)).toBeLessThanOrEqual(640 + air);
  }
  for (const { at, text } of ticks) {
    expect(Number.isFinite(at)).toBe(true);
    expect(text).not.toMatch(/NaN|undefined|Infinity/);
  }
  if (lane !== null) expect(Number.isFinite(lane)).toBe(true);
}

test("every value of any list has a place on each kind of axis", () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 40 }), (values) => {
      isSound(logAxis({ ...options, values }), values);
      isSound(linearAxis({ ...options, values }), values, 1e-6);
      const moments = values.map((moment) => moment && Math.round(moment));
      isSound(timeAxis({ ...options, values: moments }), moments, 1e-6);
    }),
    { examples: [[[999999.9999999967, 999999.9999999965]]] },
  );
});

test("zero has a lane of its own before the smallest value", () => {
  const axis = logAxis({ ...options, values: [0, 1e-9, 1e6] });
  expect(axis.lane).toBe(62);
  expect(axis.place(0)).toBe(62);
  expect(axis.place(1e-9)).toBeGreaterThan(84);
  expect(logAxis({ ...options, values: [1] }).lane).toBeNull();
});

test("an axis that runs upwards has its lane at the bottom", () => {
  const axis = logAxis({ ...options, reach: [300, 20], values: [0, 1] });
  expect(axis.lane).toBe(278);
  expect(axis.place(1)).toBeLessThan(278);
});

test("values that no logarithm reaches stay on the axis", () => {
  isSound(logAxis({ ...options, values: [Number.MIN_VALUE, Number.MAX_VALUE] }), [Number.MIN_VALUE, Number.MAX_VALUE]);
});

test("ticks are round, and not many", () => {
  expect(logTicks([0.5, 2000], 6)).toEqual([1, 10, 100, 1000]);
  expect(logTicks([1, 30], 6)).toEqual([1, 2, 5, 10, 20]);
  expect(logTicks([11, 14], 4)).toEqual([11, 12, 13, 14]);
  expect(logTicks([1e-9, 1e6], 6).length).toBeLessThanOrEqual(6);
});

test.each([[[5e-324, 1e-323]], [[0, 5e-324]], [[1e-310, 3e-300]], [[0, 1e-289]]])(
  "numbers that are hardly any have a place: %j",
  (values) => {
    isSound(linearAxis({ ...options, values, within: [0, 1] }), values, 1e-6);
    isSound(linearAxis({ ...options, values }), values, 1e-6);
  },
);

test("a share does not go beyond 100 %", () => {
  const axis = linearAxis({ ...options, values: [0.97, 1], within: [0, 1] });
  expect(axis.place(1)).toBeCloseTo(640);
});

test("moments that differ by seconds are told apart", () => {
  const begun = Date.parse("2026-11-16T17:29:53Z");
  const { ticks } = timeAxis({ values: [begun, begun + 9000], reach: [62, 640], count: 8 });
  expect(ticks.length).toBeGreaterThan(3);
  expect(new Set(ticks.map(({ text }) => text)).size).toBe(ticks.length);
});
