import { expect, test } from "vitest";
import { type Mark, markAfter, nearestMark, wordsOf } from "./mark.js";

function mark(series: string, x: number, y = 0): Mark {
  return { id: `${series}${x}`, series, x, y, title: series, facts: [["Cost", "$1.00"]] };
}

const marks = [mark("a", 0), mark("a", 100), mark("b", 10, 50), mark("b", 90, 50)];

test("a pointer means the nearest mark within reach", () => {
  expect(nearestMark(marks, { x: 95, y: 45 })).toBe(3);
  expect(nearestMark(marks, { x: 50, y: 25 })).toBe(-1);
  expect(nearestMark([], { x: 0, y: 0 })).toBe(-1);
});

test("a pointer inside of a box means it, however far its middle is", () => {
  const bar: Mark = { ...mark("bar", 300), box: { x: 0, y: 0, width: 600, height: 20 } };
  expect(nearestMark([bar], { x: 590, y: 10 })).toBe(0);
  expect(nearestMark([bar], { x: 590, y: 40 })).toBe(-1);
});

test("left and right step through all marks and stay at the ends", () => {
  expect(markAfter(marks, 1, "ArrowRight")).toBe(2);
  expect(markAfter(marks, 3, "ArrowRight")).toBe(3);
  expect(markAfter(marks, 0, "ArrowLeft")).toBe(0);
  expect(markAfter(marks, 2, "Home")).toBe(0);
  expect(markAfter(marks, 0, "End")).toBe(3);
  expect(markAfter(marks, 0, "Tab")).toBeNull();
});

test("up and down go to the neighbouring series at about the same place", () => {
  expect(markAfter(marks, 1, "ArrowDown")).toBe(3);
  expect(markAfter(marks, 3, "ArrowUp")).toBe(1);
  expect(markAfter(marks, 0, "ArrowUp")).toBe(0);
  expect(markAfter(marks.slice(0, 2), 0, "ArrowDown")).toBe(1);
});

test("a mark in words", () => {
  expect(wordsOf(mark("a", 0))).toBe("a, Cost $1.00");
});
