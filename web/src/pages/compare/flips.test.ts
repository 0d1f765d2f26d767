import { expect, test } from "vitest";
import type { TaskPasses } from "../../../../src/metrics/compare/index.js";
import { formatTaskParameter, listPossibleIds, parseTaskParameter } from "./compared-task.js";
import { chooseFlipOutcomes, findFlipOutcomes, isFlipped, sortByLoss } from "./flips.js";
import { formatFlips } from "./pair.js";

function task(passesA: number, trialsA: number, passesB: number, trialsB: number): TaskPasses {
  return { dataset: "d", exampleId: 1, passesA, trialsA, passesB, trialsB, isFlaky: false };
}

test("chooses trials that differ the way the task does", () => {
  expect(chooseFlipOutcomes(task(1, 1, 0, 1))).toEqual({ a: "pass", b: "fail" });
  expect(chooseFlipOutcomes(task(0, 1, 1, 1))).toEqual({ a: "fail", b: "pass" });
  expect(chooseFlipOutcomes(task(3, 4, 1, 4))).toEqual({ a: "pass", b: "fail" });
  expect(chooseFlipOutcomes(task(1, 4, 3, 4))).toEqual({ a: "fail", b: "pass" });
  expect(chooseFlipOutcomes(task(1, 2, 1, 2))).toEqual({ a: "pass", b: "fail" });
  expect(chooseFlipOutcomes(task(1, 2, 2, 2))).toEqual({ a: "fail", b: "pass" });
  expect(chooseFlipOutcomes(task(2, 2, 2, 2))).toBeNull();
  expect(chooseFlipOutcomes(task(0, 2, 0, 2))).toBeNull();
});

test("chooses no trials for a task that did not flip", () => {
  const flips = { toFail: [task(1, 1, 0, 1)], toPass: [], flaky: [] };
  expect(findFlipOutcomes({ flips }, { dataset: "d", exampleId: 1 })).toEqual({ a: "pass", b: "fail" });
  expect(findFlipOutcomes({ flips }, { dataset: "d", exampleId: "1" })).toBeNull();
});

test("a task survives the address, numeric ids as numbers", () => {
  for (const exampleId of [7, "7", 'a "b"\\'])
    expect(parseTaskParameter(formatTaskParameter({ dataset: "d,e", exampleId }))).toEqual({
      dataset: "d,e",
      exampleId,
    });
});

test("rejects a parameter that is not a task", () => {
  for (const word of [undefined, "", "{}", "[1,2]", '["d"]', "null"]) expect(parseTaskParameter(word)).toBeNull();
});

test("a typed id is text, and also a number where it can be", () => {
  expect(listPossibleIds("7")).toEqual([7, "7"]);
  expect(listPossibleIds("07")).toEqual(["07"]);
  expect(listPossibleIds("q7")).toEqual(["q7"]);
});

test("sorts by the loss of passes, and knows which tasks are listed", () => {
  const [small, large, gain] = [task(3, 4, 1, 4), task(1, 1, 0, 1), task(1, 4, 3, 4)];
  expect(sortByLoss([gain, small, large])).toEqual([large, small, gain]);
  const flips = { toFail: [large], toPass: [], flaky: [] };
  expect(isFlipped({ flips }, { dataset: "d", exampleId: 1 })).toBe(true);
  expect(isFlipped({ flips }, { dataset: "d", exampleId: "1" })).toBe(false);
});

test("says how many flipped", () => {
  const say = (toFail: number, toPass: number) =>
    formatFlips({ flips: { toFail: Array(toFail), toPass: Array(toPass), flaky: [] } });
  expect(say(1, 0)).toBe("1 now fails, 0 now pass");
  expect(say(2, 1)).toBe("2 now fail, 1 now passes");
  expect(say(0, 0)).toBe("nothing flipped");
});
