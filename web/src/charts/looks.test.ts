import { expect, test } from "vitest";
import { assignLooks, assignSystemLooks, buildShapePath, getSeriesLook, measureShape, SHAPES } from "./looks.js";

test("a system keeps its look when others are added after it", () => {
  const one = assignLooks(["b", "a"]);
  const other = assignLooks(["b", "a", "0", "b"]);
  for (const name of ["a", "b"]) expect(one(name)).toEqual(other(name));
  expect(one("b")).toEqual({ color: "var(--series-1)", shape: "circle" });
});

test("charts without a list of systems use the same looks in any order", () => {
  const one = assignSystemLooks(undefined, ["b", "a", "c"]);
  const other = assignSystemLooks(undefined, ["c", "b", "a"]);
  for (const name of ["a", "b", "c"]) expect(one(name)).toEqual(other(name));
});

test("a system keeps its look on a page with other systems, and no two systems share one", () => {
  const few = assignSystemLooks(undefined, ["atlas-large", "swift-8b"]);
  const many = assignSystemLooks(["atlas-large", "swift-8b", "cedar-70b"], []);
  for (const name of ["atlas-large", "swift-8b"]) expect(many(name)).toEqual(few(name));
  const names = Array.from({ length: 16 }, (_, index) => `system-${index}`);
  const look = assignSystemLooks(names, []);
  expect(new Set(names.map((name) => look(name).color)).size).toBe(16);
});

test("up to eight systems share no shape and use the main colors", () => {
  const names = ["atlas-large", "atlas-mini", "cedar-70b", "granite-mini", "local-8b", "pioneer-reasoner", "swift-8b"];
  const look = assignSystemLooks(names, []);
  const main = Array.from({ length: 8 }, (_, place) => getSeriesLook(place).color);
  expect(new Set(names.map((name) => look(name).shape)).size).toBe(names.length);
  for (const name of names) expect(main).toContain(look(name).color);
});

test("forty systems all look different", () => {
  const names = Array.from({ length: 40 }, (_, index) => `system-${index}`);
  const looks = new Set(names.map((name) => JSON.stringify(assignLooks(names)(name))));
  expect(looks.size).toBe(40);
});

test("neighbors differ in color and in shape", () => {
  for (let place = 0; place < 63; place++) {
    expect(getSeriesLook(place).color).not.toBe(getSeriesLook(place + 1).color);
    expect(getSeriesLook(place).shape).not.toBe(getSeriesLook(place + 1).shape);
  }
  expect(new Set(SHAPES).size).toBe(8);
});

test("an unknown name has a look too", () => {
  expect(assignLooks(["a"])("z")).toEqual(getSeriesLook(1));
});

test("no corner of a shape lies beyond its extent", () => {
  for (const shape of SHAPES) {
    const corners = [...buildShapePath(shape, 100).matchAll(/[ML](-?[\d.]+),(-?[\d.]+)/g)];
    const extent = Math.max(...corners.flatMap(([, x, y]) => [Math.abs(Number(x)), Math.abs(Number(y))]));
    expect(extent, shape).toBeLessThanOrEqual(measureShape(shape, 100));
  }
});

test("of the first sixteen looks, only those eight places apart share a shape", () => {
  for (let one = 0; one < 16; one++)
    for (let other = 0; other < one; other++)
      expect(getSeriesLook(one).shape === getSeriesLook(other).shape).toBe(one - other === 8);
});
