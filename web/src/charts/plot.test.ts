import { expect, test } from "vitest";
import { describeMark, findNearestMark, findNextMark, type Mark } from "./plot.js";

function mark(series: string, x: number, y = 0): Mark {
  return { id: `${series}${x}`, series, x, y, title: series, facts: [["Cost", "$1.00"]] };
}

const marks = [mark("a", 0), mark("a", 100), mark("b", 10, 50), mark("b", 90, 50)];

test("a pointer selects the nearest mark within reach", () => {
  expect(findNearestMark(marks, { x: 95, y: 45 })).toBe(3);
  expect(findNearestMark(marks, { x: 50, y: 25 })).toBe(-1);
  expect(findNearestMark([], { x: 0, y: 0 })).toBe(-1);
});

test("a pointer inside a box selects it, however far its middle is", () => {
  const bar: Mark = { ...mark("bar", 300), box: { x: 0, y: 0, width: 600, height: 20 } };
  expect(findNearestMark([bar], { x: 590, y: 10 })).toBe(0);
  expect(findNearestMark([bar], { x: 590, y: 40 })).toBe(-1);
});

test("left and right step through all marks and stop at the ends", () => {
  expect(findNextMark(marks, 1, "ArrowRight")).toBe(2);
  expect(findNextMark(marks, 3, "ArrowRight")).toBe(3);
  expect(findNextMark(marks, 0, "ArrowLeft")).toBe(0);
  expect(findNextMark(marks, 2, "Home")).toBe(0);
  expect(findNextMark(marks, 0, "End")).toBe(3);
  expect(findNextMark(marks, 0, "Tab")).toBeNull();
});

test("up and down go to the mark at about the same position in the next series", () => {
  expect(findNextMark(marks, 1, "ArrowDown")).toBe(3);
  expect(findNextMark(marks, 3, "ArrowUp")).toBe(1);
  expect(findNextMark(marks, 0, "ArrowUp")).toBe(0);
  expect(findNextMark(marks.slice(0, 2), 0, "ArrowDown")).toBe(1);
});

test("describes a mark by its title and facts", () => {
  expect(describeMark(mark("a", 0))).toBe("a, Cost $1.00");
});
