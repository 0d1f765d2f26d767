import { expect, test } from "vitest";
import { selectReadableTicks } from "./readable.js";

const tick = (at: number, text = "$0.01") => ({ at, text });

test("texts that would run into each other are left out", () => {
  const texts = selectReadableTicks([tick(50), tick(70), tick(120)], { from: 0, right: 200 });
  expect(texts.map(({ at }) => at)).toEqual([50, 120]);
});

test("texts keep off the edges and off what is there", () => {
  expect(selectReadableTicks([tick(5)], { from: 0, right: 200 })).toEqual([{ at: 17.5, text: "$0.01" }]);
  expect(selectReadableTicks([tick(210)], { from: 0, right: 200 })).toEqual([{ at: 194.5, text: "$0.01" }]);
  expect(selectReadableTicks([tick(60)], { from: 50, right: 200 })).toEqual([]);
  expect(selectReadableTicks([tick(60, "")], { from: 0, right: 200 })).toEqual([]);
});
