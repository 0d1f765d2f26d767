import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyChoiceOrder, type Example, OPTION_LETTERS, renderChoices } from "./example.js";

const CHOICES = ["Rome", "Paris", "Bern"];
const ASKED: Example = { id: 1, question: `Capital of France?\n\n${renderChoices(CHOICES)}`, choices: CHOICES };
/** Paris comes first. */
const ORDER = [1, 2, 0];

describe("applyChoiceOrder", () => {
  it.each([
    ["answer", "B", "A"],
    ["answer", "(b)", "(a)"],
    ["answer", "B. Paris", "A. Paris"],
    ["answer", "Paris", "Paris"],
    ["answer", "Because of Paris", "Because of Paris"],
    ["answer", "Z", "Z"],
    ["answer_index", 1, 0],
    ["answer_index", "B", "A"],
    ["label", 1, 0],
    ["label", "B", "A"],
  ] as const)("moves the gold %s %j to %j", (field, gold, moved) => {
    const example = applyChoiceOrder({ ...ASKED, [field]: gold }, ORDER);
    expect(example[field]).toBe(moved);
    expect(example.question).toContain("A. Paris\nB. Bern\nC. Rome");
  });

  it("moves every answer, and leaves a letter that is the text of a choice", () => {
    expect(applyChoiceOrder({ ...ASKED, answers: ["B", "C."] }, ORDER).answers).toEqual(["A", "B."]);
    const letters = { id: 1, question: "Which?", choices: ["B", "A"], answer: "B" };
    expect(applyChoiceOrder(letters, [1, 0])).toMatchObject({ choices: ["A", "B"], answer: "B" });
  });

  it("keeps the text of the right choice, in any order", () => {
    const texts = fc.uniqueArray(fc.string({ minLength: 2 }), { minLength: 2, maxLength: 8 });
    const cases = texts.chain((choices) =>
      fc.record({
        choices: fc.constant(choices),
        right: fc.nat({ max: choices.length - 1 }),
        order: fc.shuffledSubarray([...choices.keys()], { minLength: choices.length }),
      }),
    );
    fc.assert(
      fc.property(cases, ({ choices, right, order }) => {
        const gold = { answer: OPTION_LETTERS[right], answer_index: right, label: right };
        const moved = applyChoiceOrder({ id: 1, question: "Which?", choices, ...gold } as Example, order);
        const index = moved.answer_index as number;
        expect(moved.choices?.[index]).toBe(choices[right]);
        expect([moved.answer, moved.label]).toEqual([OPTION_LETTERS[index], index]);
      }),
    );
  });
});
