import { describe, expect, it } from "vitest";
import { buildMultipleChoice } from "./multiple-choice.js";

/** Whether options with this one among them keep file order for every id. */
function keepsOrder(option: string): boolean {
  const options = ["first", "second", "third", option];
  const asked = Array.from({ length: 20 }, (_, id) =>
    buildMultipleChoice({ id, question: "Which?", options, right: 0 }),
  );
  return asked.every(({ choices }) => choices.join() === options.join());
}

describe("options that refer to others", () => {
  it.each([
    "All of the above",
    "All of the Above.",
    "NONE OF THE ABOVE",
    "None of the above",
    "All the above",
    "None above",
    "Neither of the above is true",
    "Any of the options above",
    "none of the below",
    "A and B",
    "A or B, by its flag",
    "Both A and B",
    "A, B, and C",
    "B & D only",
    "Neither A nor C",
    "Both (a) and (b)",
    "(a) and (c) only",
    "(A) or (B)",
    "both a and b",
    "Either a or b.",
    "I and J",
  ])("keep file order: %s", (option) => {
    expect(keepsOrder(option)).toBe(true);
  });

  it.each([
    "a and b are both even",
    "both a and b are even",
    "the sum of a and b",
    "P(A and B)",
    "f(a) and f(b)",
    "f(a) and (b)",
    "I and II only",
    "above sea level",
    "Prices rise above equilibrium",
    "It falls below zero",
    "A and Britain",
    "vitamin C",
    "Anna and Bert",
  ])("are not recognized in: %s", (option) => {
    expect(keepsOrder(option)).toBe(false);
  });
});

it("uses a different letter for another id, and the same for the same id", () => {
  const ask = (id: number) => buildMultipleChoice({ id, question: "2 + 2?", options: ["4", "3", "5"], right: 0 });
  expect(new Set(Array.from({ length: 30 }, (_, id) => ask(id).answer_index))).toEqual(new Set([0, 1, 2]));
  for (let id = 0; id < 30; id += 1) {
    expect(ask(id)).toEqual(ask(id));
    expect(ask(id).choices[ask(id).answer_index]).toBe("4");
  }
});
