import { expect, test } from "vitest";
import { looksOf, SHAPES, seriesAt, seriesOf } from "./series.js";

test("a system keeps its look when others are added behind it", () => {
  const one = seriesOf(["b", "a"]);
  const other = seriesOf(["b", "a", "0", "b"]);
  for (const name of ["a", "b"]) expect(one(name)).toEqual(other(name));
  expect(one("b")).toEqual({ colour: "var(--series-1)", shape: "circle" });
});

test("charts of a page without a list of systems agree, whatever their order", () => {
  const one = looksOf(undefined, ["b", "a", "c"]);
  const other = looksOf(undefined, ["c", "b", "a"]);
  for (const name of ["a", "b", "c"]) expect(one(name)).toEqual(other(name));
  expect(looksOf(["c", "a"], ["a"])("a")).toEqual(seriesAt(1));
});

test("forty systems all look different", () => {
  const names = Array.from({ length: 40 }, (_, index) => `system-${index}`);
  const looks = new Set(names.map((name) => JSON.stringify(seriesOf(names)(name))));
  expect(looks.size).toBe(40);
});

test("neighbours differ in colour and in shape", () => {
  for (let place = 0; place < 63; place++) {
    expect(seriesAt(place).colour).not.toBe(seriesAt(place + 1).colour);
    expect(seriesAt(place).shape).not.toBe(seriesAt(place + 1).shape);
  }
  expect(new Set(SHAPES).size).toBe(8);
});

test("a name nobody announced still has a look", () => {
  expect(seriesOf(["a"])("z")).toEqual(seriesAt(1));
});
