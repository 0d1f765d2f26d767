import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type Axis,
  createLinearAxis,
  createLogAxis,
  createTimeAxis,
  formatCountTick,
  formatDollarTick,
  formatNumberTick,
  formatSecondsTick,
  formatShareTick,
  listDurationTicks,
  listLogDurationTicks,
  listLogTicks,
  parseTimestamp,
  selectReadableTicks,
} from "./axes.js";

const value = fc.oneof(fc.double({ min: 1e-9, max: 1e6, noNaN: true }), fc.constant(0), fc.constant(null));
const options = { range: [40, 640] as const, text: formatNumberTick, count: 6 };

function isSound({ toPixel: place, ticks, zeroPosition }: Axis, values: readonly (number | null)[], air = 0): void {
  for (const known of values.filter((item) => item !== null)) {
    expect(place(known)).toBeGreaterThanOrEqual(40 - air);
    expect(place(known)).toBeLessThanOrEqual(640 + air);
  }
  for (const { at, text } of ticks) {
    expect(Number.isFinite(at)).toBe(true);
    expect(text).not.toMatch(/NaN|undefined|Infinity/);
  }
  if (zeroPosition !== null) expect(Number.isFinite(zeroPosition)).toBe(true);
}

test("every kind of axis places every value", () => {
  fc.assert(
    fc.property(fc.array(value, { maxLength: 40 }), (values) => {
      isSound(createLogAxis({ ...options, values }), values);
      isSound(createLinearAxis({ ...options, values }), values, 1e-6);
      const moments = values.map((moment) => moment && Math.round(moment));
      isSound(createTimeAxis({ ...options, values: moments }), moments, 1e-6);
    }),
    { examples: [[[999999.9999999967, 999999.9999999965]]] },
  );
});

test("zero gets a separate position before the smallest value", () => {
  const axis = createLogAxis({ ...options, values: [0, 1e-9, 1e6] });
  expect(axis.zeroPosition).toBe(62);
  expect(axis.toPixel(0)).toBe(62);
  expect(axis.toPixel(1e-9)).toBeGreaterThan(84);
  expect(createLogAxis({ ...options, values: [1] }).zeroPosition).toBeNull();
});

test("an axis that runs upwards puts zero at the bottom", () => {
  const axis = createLogAxis({ ...options, range: [300, 20], values: [0, 1] });
  expect(axis.zeroPosition).toBe(278);
  expect(axis.toPixel(1)).toBeLessThan(278);
});

test("a logarithmic axis keeps values that have no logarithm", () => {
  isSound(createLogAxis({ ...options, values: [Number.MIN_VALUE, Number.MAX_VALUE] }), [
    Number.MIN_VALUE,
    Number.MAX_VALUE,
  ]);
});

test("ticks are few and round", () => {
  expect(listLogTicks([0.5, 2000], 6)).toEqual([1, 10, 100, 1000]);
  expect(listLogTicks([1, 30], 6)).toEqual([1, 2, 5, 10, 20]);
  expect(listLogTicks([11, 14], 4)).toEqual([11, 12, 13, 14]);
  expect(listLogTicks([1e-9, 1e6], 6).length).toBeLessThanOrEqual(6);
});

test.each([[[5e-324, 1e-323]], [[0, 5e-324]], [[1e-310, 3e-300]], [[0, 1e-289]]])(
  "places numbers near the smallest possible: %j",
  (values) => {
    isSound(createLinearAxis({ ...options, values, within: [0, 1] }), values, 1e-6);
    isSound(createLinearAxis({ ...options, values }), values, 1e-6);
  },
);

test("an axis of shares ends at 100 %", () => {
  const axis = createLinearAxis({ ...options, values: [0.97, 1], within: [0, 1] });
  expect(axis.toPixel(1)).toBeCloseTo(640);
});

test("a time axis has a tick at every run, and dates that do not overlap", () => {
  const begun = new Date(2026, 9, 5, 8, 30).getTime();
  const hour = 3600 * 1000;
  const runs = [0, 168, 336, 337, 504].map((hours) => begun + hours * hour);
  const { ticks, toPixel } = createTimeAxis({ values: [...runs, ...runs], range: [62, 640] });
  expect(ticks.map(({ at }) => at)).toEqual([0, 1, 2, 4].map((index) => toPixel(runs[index] ?? 0)));
  expect(ticks.map(({ text }) => text)).toEqual(["5 Oct", "12 Oct", "19 Oct", "26 Oct"]);
});

test("a time axis names what differs: the year, the time of a day, or the second", () => {
  const texts = (...moments: Date[]) =>
    createTimeAxis({ values: moments.map(Number), range: [62, 640] }).ticks.map(({ text }) => text);
  expect(texts(new Date(2025, 11, 30), new Date(2026, 0, 5))).toEqual(["30 Dec", "5 Jan 2026"]);
  expect(texts(new Date(2026, 0, 5, 8, 0), new Date(2026, 0, 5, 14, 5))).toEqual(["5 Jan", "14:05"]);
  expect(texts(new Date(2026, 0, 5, 8, 0, 0), new Date(2026, 0, 5, 8, 0, 9))).toEqual(["5 Jan", "8:00:09"]);
});

test("a time axis of very many runs keeps its ticks apart", () => {
  const { ticks } = createTimeAxis({
    values: Array.from({ length: 900 }, (_, day) => day * 86_400_000),
    range: [62, 640],
  });
  expect(ticks.length).toBeLessThan(200);
  expect(selectReadableTicks(ticks, { from: 0, right: 640 }).map(({ text }) => text)).toEqual(
    ticks.map(({ text }) => text).filter((text) => text !== ""),
  );
});

test("parses the dates of runs, and rejects everything else", () => {
  expect(parseTimestamp("2026-11-14T12:00:00Z")).toBe(1794657600000);
  for (const text of ["", "soon", "+275760-09-13T00:00:00Z", "-000001-01-01T00:00:00Z"])
    expect(parseTimestamp(text)).toBeNull();
});

const tick = (at: number, text = "$0.01") => ({ at, text });

test("leaves out tick texts that would overlap", () => {
  const texts = selectReadableTicks([tick(50), tick(70), tick(120)], { from: 0, right: 200 });
  expect(texts.map(({ at }) => at)).toEqual([50, 120]);
});

test("keeps tick texts inside the edges and off the zero label", () => {
  expect(selectReadableTicks([tick(5)], { from: 0, right: 200 })).toEqual([{ at: 17.5, text: "$0.01" }]);
  expect(selectReadableTicks([tick(210)], { from: 0, right: 200 })).toEqual([{ at: 194.5, text: "$0.01" }]);
  expect(selectReadableTicks([tick(60)], { from: 50, right: 200 })).toEqual([]);
  expect(selectReadableTicks([tick(60, "")], { from: 0, right: 200 })).toEqual([]);
});

test("formats dollars for an axis", () => {
  expect([1e-9, 2e-7, 0.00001, 0.001, 0.5, 20, 1e6].map(formatDollarTick)).toEqual([
    "$0.000000001",
    "$0.0000002",
    "$0.00001",
    "$0.001",
    "$0.5",
    "$20",
    "$1 M",
  ]);
});

test("ticks of durations are round in seconds, minutes and hours", () => {
  const log = (low: number, high: number) =>
    listLogDurationTicks([low, high], { count: 20, duration: "s" }).map(formatSecondsTick);
  expect(log(0.9, 700)).toEqual(["1 s", "2 s", "5 s", "10 s", "30 s", "1 min", "2 min", "5 min", "10 min"]);
  expect(log(1000, 50_000)).toEqual(["30 min", "1 h", "2 h", "6 h", "12 h"]);
  expect(log(0.01, 0.2)).toEqual(["10 ms", "20 ms", "50 ms", "100 ms", "200 ms"]);
  const few = listLogDurationTicks([450, 56_000], { count: 5, duration: "ms" }).map((value) =>
    formatSecondsTick(value / 1000),
  );
  expect(few).toEqual(["500 ms", "1 s", "2 s", "5 s", "10 s", "30 s"]);
  const linear = listDurationTicks([0, 1_000_000], { count: 5, duration: "ms" });
  expect(linear.map((value) => formatSecondsTick(value / 1000))).toEqual([
    "0 s",
    "5 min",
    "10 min",
    "15 min",
    "20 min",
  ]);
});

test("an axis of durations covers its values with few ticks", () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 1e-6, max: 1e8, noNaN: true }), { minLength: 1, maxLength: 9 }), (values) => {
      const common = { ...options, values, duration: "s" as const, text: formatSecondsTick };
      for (const axis of [createLogAxis(common), createLinearAxis({ ...common, include: [0] })]) {
        isSound(axis, values, 1e-6);
        expect(axis.ticks.length).toBeGreaterThan(0);
        expect(axis.ticks.length).toBeLessThan(16);
      }
    }),
  );
});

test("formats seconds for an axis", () => {
  expect([0, 0.001, 0.25, 1, 100, 600, 7200].map(formatSecondsTick)).toEqual([
    "0 s",
    "1 ms",
    "250 ms",
    "1 s",
    "1 min 40 s",
    "10 min",
    "2 h",
  ]);
});

test("formats shares and counts for an axis", () => {
  expect([0, 0.25, 1].map(formatShareTick)).toEqual(["0 %", "25 %", "100 %"]);
  expect([0, 1500, 25_000, 2_500_000].map(formatCountTick)).toEqual(["0", "1500", "25 k", "2.5 M"]);
});
