import { expect, test } from "vitest";
import { findTrial } from "./find-trial.js";

const createKey = (dataset: string) => ({ system: "a", dataset, exampleId: 1, trial: 0 });

test("finds a trial without its dataset if one dataset has it", () => {
  expect(findTrial([createKey("d")], createKey("")).found).toEqual(createKey("d"));
  expect(findTrial([createKey("d")], createKey("e")).found).toBeNull();
});

test("names the datasets if several have the trial, unless one has no name", () => {
  expect(findTrial([createKey("d"), createKey("e")], createKey(""))).toEqual({ found: null, datasets: ["d", "e"] });
  expect(findTrial([createKey("d"), createKey("")], createKey("")).found).toEqual(createKey(""));
});
