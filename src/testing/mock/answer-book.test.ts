import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AnswerBook } from "./behavior.js";

function bookOf(...questions: string[]): AnswerBook {
  return new AnswerBook(questions.map((question) => ({ question, answer: `answer to ${question}` })));
}

describe("AnswerBook", () => {
  it("finds a question anywhere in the prompt", () => {
    const question = fc.string({ minLength: 1, maxLength: 40 }).map((text) => `${text}?`);
    const around = fc.string().map((text) => text.replaceAll("?", ""));
    fc.assert(
      fc.property(around, question, around, (before, asked, after) => {
        const found = bookOf(asked, "Something else that is not asked?").find(before + asked + after, []);
        expect(found?.question).toBe(asked);
      }),
    );
  });

  it("uses the last question of a prompt, and the longer of two that end together", () => {
    const book = bookOf("Who?", "Who was it that did this, and who?", "And who?");
    expect(book.find("Who? I mean: And who?", [])?.question).toBe("And who?");
    expect(book.find("Tell me. And who? Who?", [])?.question).toBe("Who?");
    expect(book.find("And who?\n\nJust say it.", [])?.question).toBe("And who?");
  });

  it("searches the other texts only if the last one has no known question", () => {
    const book = bookOf("Who?", "Why?");
    expect(book.find("Go on.", ["Why?", "Go on."])?.question).toBe("Why?");
    expect(book.find("Who?", ["Why?", "Who?"])?.question).toBe("Who?");
    expect(book.find("Go on.", ["Nothing.", "Go on."])).toBeNull();
  });

  it("distinguishes questions by context", () => {
    const asked = (n: number) => ({ question: "Which number?", context: `It is ${n}.`, answer: String(n) });
    const book = new AnswerBook([asked(1), asked(2), asked(3)]);
    expect(book.find("Which number?", ["It is 2.", "Which number?"])?.answer).toBe("2");
    expect(book.find("Which number?", ["Which number?"])?.answer).toBe("1");
  });

  it("picks wrong answers that are plausible and the same for the same seed", () => {
    const book = new AnswerBook(
      ["Paris", "paris, France", "Rome", "Oslo"].map((answer) => ({ question: answer, answer })),
    );
    const wrong = Array.from({ length: 50 }, (_, seed) => book.pickWrongAnswer("Paris", seed));
    expect(new Set(wrong)).toEqual(new Set(["Rome", "Oslo"]));
    expect(wrong[3]).toBe(book.pickWrongAnswer("Paris", 3));
    expect(new AnswerBook([]).pickWrongAnswer("Paris", 1)).not.toContain("Paris");
  });
});
