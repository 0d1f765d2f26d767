import { expect, test } from "vitest";
import { isSameFigure, readFigure } from "./read-figure.js";

test("reads figures in the units of the page", () => {
  expect(readFigure("0.967")).toEqual({ value: 0.967, rounding: 0.0005 });
  expect(readFigure("96.7 %")?.value).toBeCloseTo(0.967);
  expect(readFigure("$0.0172")?.value).toBe(0.0172);
  expect(readFigure("17.2", "$ per 1,000")?.value).toBeCloseTo(0.0172);
  expect(readFigure("12,345")?.value).toBe(12_345);
  expect(readFigure("620.0 ms")?.value).toBeCloseTo(0.62);
  expect(readFigure("1 min 21 s")?.value).toBe(81);
  expect(readFigure("2 h 27 min")?.value).toBe(8820);
  expect(readFigure("– no passes")).toBeNull();
});

test("compares within the rounding, and no further", () => {
  const shown = readFigure("0.97");
  if (shown === null) throw new Error("not read");
  expect(isSameFigure(shown, 0.9667)).toBe(true);
  expect(isSameFigure(shown, 0.9649)).toBe(false);
  expect(isSameFigure(readFigure("< 0.001") ?? shown, 0.0002)).toBe(true);
  expect(isSameFigure(readFigure("< 0.001") ?? shown, 0.002)).toBe(false);
});
