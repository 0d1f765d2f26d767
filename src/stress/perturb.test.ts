import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyChoiceOrder, type Example, OPTION_LETTERS, renderChoices } from "../core/index.js";
import { perturbByRule, RULE_KINDS, rewordExample } from "./perturb.js";

const QUESTION =
  'Write the three longest rivers of Europe into `rivers.txt`, named "Longest rivers", in /tmp/out, and print their 3 lengths in kilometers.';
const LITERALS = ["`rivers.txt`", '"Longest rivers"', "/tmp/out", " 3 "];
const ask = (question: string, more: Partial<Example> = {}): Example => ({ id: 1, question, ...more });

describe.each(RULE_KINDS.filter((kind) => kind !== "reorder"))("the rule %s", (kind) => {
  it("changes the question, and keeps code, quotations, paths and numbers", () => {
    for (let seed = 0; seed < 50; seed++) {
      const text = perturbByRule(ask(QUESTION), kind, seed)?.text ?? "";
      if (kind !== "whitespace") expect(text).not.toBe(QUESTION);
      for (const literal of LITERALS) expect(text.replace(/ +/g, " ")).toContain(literal);
    }
  });

  it("gives the same text for the same seed and example, and another for another", () => {
    const texts = (id: number) =>
      Array.from({ length: 30 }, (_, seed) => perturbByRule(ask(QUESTION, { id }), kind, seed)?.text);
    expect(texts(1)).toEqual(texts(1));
    expect(new Set(texts(1)).size).toBeGreaterThan(1);
    expect(texts(1)).not.toEqual(texts(2));
  });

  it("keeps choices and answers that the question contains", () => {
    const choices = ["several amazing animals", "another wonderful thing"];
    const example = ask(`Which sentence contains something wonderful?\n\n${renderChoices(choices)}`, {
      choices,
      answer: "something wonderful",
    });
    for (let seed = 0; seed < 30; seed++) {
      const text = perturbByRule(example, kind, seed)?.text ?? example.question;
      expect(text).toContain(renderChoices(choices));
      expect(text).toContain("something wonderful");
    }
  });

  it("accepts any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(), (question, seed) => {
        const changed = perturbByRule(ask(question), kind, seed);
        if (changed !== null) expect(changed.text).not.toBe(question);
      }),
    );
  });
});

it("misspells words so that they stay readable", () => {
  const words = QUESTION.split(" ");
  for (let seed = 0; seed < 50; seed++) {
    const changed = (perturbByRule(ask(QUESTION), "typos", seed)?.text ?? "").split(" ");
    const differing = changed.filter((word, at) => word !== words[at]);
    expect(changed).toHaveLength(words.length);
    expect(differing.length).toBeGreaterThanOrEqual(1);
    expect(differing.length).toBeLessThanOrEqual(2);
    for (const word of differing)
      expect(Math.abs(word.length - (words[changed.indexOf(word)]?.length ?? 0))).toBeLessThan(2);
  }
});

it("rewords the last turn of the user where there is no question, and leaves other examples alone", () => {
  const turns = [
    { role: "assistant", content: "What can I do for you today?" },
    { role: "user", content: "Please translate this sentence." },
  ];
  const rewording = perturbByRule({ id: 1, turns }, "typos", 1);
  expect(rewording).not.toBeNull();
  const reworded = rewordExample({ id: 1, turns }, rewording ?? { text: "" });
  expect(reworded.turns).toEqual([turns[0], { role: "user", content: rewording?.text }]);
  expect(perturbByRule({ id: 1, context: "Only a context" }, "typos", 1)).toBeNull();
  expect(perturbByRule({ id: 1, turns: turns.slice(0, 1) }, "typos", 1)).toBeNull();
});

it("changes a question that the last turn repeats in both places", () => {
  const example: Example = { id: 1, question: "Where is it?", turns: [{ role: "user", content: "Where is it?" }] };
  expect(rewordExample(example, { text: "where IS it?" })).toMatchObject({
    question: "where IS it?",
    turns: [{ content: "where IS it?" }],
  });
});

describe("the rule reorder", () => {
  const CHOICES = ["Rome", "Paris", "Bern", "Oslo"];
  const choose = (choices: readonly string[], more: Partial<Example> = {}) =>
    ask(`What is the capital of France?\n\n${renderChoices(choices)}`, { choices: [...choices], ...more });

  it("shows the choices in another order, and the gold moves with them", () => {
    for (let seed = 0; seed < 30; seed++) {
      const example = choose(CHOICES, { answer: "B" });
      const rewording = perturbByRule(example, "reorder", seed);
      const task = rewordExample(example, rewording ?? { text: "" });
      expect(task.question).toBe(rewording?.text);
      expect(task.choices).not.toEqual(CHOICES);
      expect([...(task.choices ?? [])].sort()).toEqual([...CHOICES].sort());
      // The runner applies the order that the output names to the example before it is graded.
      const graded = applyChoiceOrder(example, task.choice_order);
      expect(graded.choices?.[OPTION_LETTERS.indexOf(String(graded.answer))]).toBe("Paris");
      expect(task.question).toContain(`${graded.answer}. Paris`);
    }
  });

  it("moves the choices of an example that has an order already", () => {
    const example = choose(["Paris", "Rome"], { choice_order: [1, 0], answer_index: 0 });
    const task = rewordExample(example, perturbByRule(example, "reorder", 1) ?? { text: "" });
    expect(task).toMatchObject({ choices: ["Rome", "Paris"], choice_order: [0, 1], answer_index: 1 });
  });

  it.each([
    ["All of the above"],
    ["None of these"],
    ["Both A and C"],
    ["A and B"],
    ["A, B"],
    ["Neither of the options above"],
    ["Rome"],
  ])("leaves choices alone that mean places or occur twice: %s", (choice) => {
    expect(perturbByRule(choose([...CHOICES, choice]), "reorder", 1)).toBeNull();
  });

  it("leaves an example alone whose gold is a bare number, or whose choices are not shown", () => {
    expect(perturbByRule(choose(CHOICES, { answer: "2" }), "reorder", 1)).toBeNull();
    expect(perturbByRule(ask("Capital of France?", { choices: CHOICES }), "reorder", 1)).toBeNull();
  });

  it("reorders bullets, and nothing around them", () => {
    const list = "Which of these are rivers?\n- Rhine\n- Zurich\n- Rhone\n\nAnswer with names.";
    const text = perturbByRule(ask(list), "reorder", 3)?.text ?? "";
    expect(text).not.toBe(list);
    expect(text.split("\n").sort()).toEqual(list.split("\n").sort());
    expect(text).toMatch(/^Which of these are rivers\?\n- [\s\S]*\n\nAnswer with names\.$/);
  });

  it.each([
    "Do these steps:\n- open\n- close",
    "What is the first of these?\n- a\n- b",
    "Sort them:\n- a\n- b",
    "Is it above?\n- a\n- b",
    "Which?\n- a\n  more of a\n- b",
    "Which?\n- a\n- a",
    "Which?\n- a",
    "```\n- a\n- b\n```",
    "1. a\n2. b",
    "No list.",
  ])("leaves a list alone whose order matters: %j", (text) => {
    expect(perturbByRule(ask(text), "reorder", 1)).toBeNull();
  });
});
