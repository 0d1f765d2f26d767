import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ScoredWithEvidence, Scores } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { Output } from "../core/system.js";
import { AnswerQuality, isAbstention } from "./answer-quality.js";

import { normalizeAnswer, normalizeAnswerAsync } from "./normalize.js";

const quality = new AnswerQuality();

function score(gold: Partial<Example>, output: Output | string): Scores {
  return quality.score(
    { id: 1, question: "q", ...gold },
    typeof output === "string" ? { response: output } : output,
  ) as Scores;
}

const answer = (gold: string, response: string) => score({ answer: gold }, response);
const ALL_ONE = { f1: 1, exact_match: 1, recall: 1, contains: 1 };
const ALL_ZERO = { f1: 0, exact_match: 0, recall: 0, contains: 0 };

describe("normalizeAnswer", () => {
  // Expected values come from the official evaluate-v1.1.py.
  it.each([
    ["The U.S.A.", "usa"],
    ["an  apple\ta\nday", "apple day"],
    ["the the cat a", "cat"],
    ["Anthem theatre banana", "anthem theatre banana"],
    ["a-b", "ab"],
    ["the-cat", "thecat"],
    ["A.", ""],
    ["O'Neil's “the” café", "oneils “ ” café"],
    ["a é aé thé", "é aé thé"],
    ["the–best", "–best"],
    ["  spaced   out  ", "spaced out"],
    ["$1,000.50", "100050"],
    ["snake_case", "snakecase"],
    ["!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", ""],
    ["non\u00a0breaking", "non breaking"],
    ["", ""],
  ])("turns %j into %j", (text, expected) => {
    expect(normalizeAnswer(text)).toBe(expected);
  });

  it("equals the script's four steps applied one by one", () => {
    const slowly = (text: string) =>
      text
        .toLowerCase()
        .replace(/[!"#$%&'()*+,\-./:;<=>?@[\\\]^_`{|}~]/g, "")
        .replace(/(?<![\p{L}\p{N}_])(a|an|the)(?![\p{L}\p{N}_])/gu, " ")
        .split(/\s+/)
        .filter((word) => word !== "")
        .join(" ");
    const words = fc.constantFrom(
      "a",
      "an",
      "the",
      "The",
      "cat",
      " ",
      "  ",
      "\n",
      "\t",
      ".",
      "-",
      "'",
      "é",
      "–",
      "漢",
      "1",
    );
    const texts = fc.oneof(
      fc.array(words).map((list) => list.join("")),
      fc.array(words).map((list) => list.join(" ")),
      fc.string(),
    );
    fc.assert(
      fc.property(texts, (text) => {
        expect(normalizeAnswer(text)).toBe(slowly(text));
        expect(normalizeAnswer(normalizeAnswer(text), "articles")).toBe(normalizeAnswer(text));
      }),
      { numRuns: 1000 },
    );
  });
});

describe("a long text", () => {
  const line = "The “Δίας ΟΔΟΣ” of a café; an apple,\tthe  end—A.\n".repeat(2000);

  it("is normalized like its words", async () => {
    for (const detail of ["words", "articles", "all"] as const) {
      const words = line.split(/\s+/).map((word) => normalizeAnswer(word, detail));
      const wanted = words.filter((word) => word !== "").join(" ");
      expect(normalizeAnswer(line, detail)).toBe(wanted);
      expect(await normalizeAnswerAsync(line, detail)).toBe(wanted);
    }
  });

  it("is scored without blocking, with the same result as a short one", async () => {
    const text = line.repeat(12);
    let turns = 0;
    const other = setInterval(() => turns++, 1);
    const scored = new AnswerQuality().score({ id: 1, question: "?", answer: "Apple" }, { response: text });
    expect(scored).toBeInstanceOf(Promise);
    const { f1, ...rest } = (await scored) as Scores;
    clearInterval(other);
    expect(rest).toEqual({ exact_match: 0, recall: 1, contains: 1 });
    expect(f1).toBeCloseTo(2 / (normalizeAnswer(text).split(" ").length + 1), 12);
    expect(turns).toBeGreaterThan(0);
    const context = await new AnswerQuality().score({ id: 1, question: "?", answer: "Apple" }, { context: text });
    expect(context).toEqual({ recall: 1, contains: 1 });
  });
});

describe("AnswerQuality", () => {
  // Computed by hand from the official script: F1 of the bags of words, exact match of the normalized texts.
  it.each([
    ["Denver Broncos", "Denver Broncos", [1, 1, 1, 1]],
    ["Denver Broncos", "The Denver Broncos!", [1, 1, 1, 1]],
    ["Denver Broncos", "the Broncos", [2 / 3, 0, 1 / 2, 0]],
    ["Denver Broncos", "It was the Denver Broncos", [2 / 3, 0, 1, 1]],
    ["Santa Clara, California", "Levi's Stadium in Santa Clara", [0.5, 0, 2 / 3, 0]],
    ["in the late 1990s", "late 1990s", [0.8, 0, 2 / 3, 0]],
    ["1", "10", [0, 0, 0, 0]],
    ["1", "10 or 1", [0.5, 0, 1, 1]],
    ["new york city", "city new york", [1, 0, 1, 0]],
    ["the the cat cat", "cat", [2 / 3, 0, 1 / 2, 0]],
    ["cat", "cat cat cat", [0.5, 0, 1, 1]],
    ["Paris", "London", [0, 0, 0, 0]],
    ["Paris", "", [0, 0, 0, 0]],
    ["Paris", "!!!", [0, 0, 0, 0]],
  ])("scores gold %j against %j", (gold, response, expected) => {
    const [f1 = -1, exact, recall = -1, contains] = expected;
    const scores = answer(gold, response);
    expect(scores.f1).toBeCloseTo(f1, 12);
    expect(scores.recall).toBeCloseTo(recall, 12);
    expect(scores).toMatchObject({ exact_match: exact, contains });
  });

  it("takes the best gold, field by field", () => {
    const scores = score(
      { answer: "x", answers: ["Paris", "the city of Paris in France"] },
      "Paris in France, city of light",
    );
    // Best f1 and recall come from the long gold (5 of 6 and 5 of 5 words), containment from the short one.
    expect(scores).toEqual({ f1: 10 / 11, exact_match: 0, recall: 1, contains: 1 });
    expect(score({ answer: "no", answers: ["yes"] }, "Yes.")).toEqual(ALL_ONE);
    expect(score({ answer: "no", answers: ["yes"] }, "No")).toEqual(ALL_ONE);
    expect(score({ answers: ["", "Paris"] }, "paris")).toEqual(ALL_ONE);
  });

  it.each([null, undefined])("reads a response of %s as empty", (response) => {
    expect(score({ answer: "null undefined" }, { response } as unknown as Output)).toEqual(ALL_ZERO);
  });

  it("scores an empty output as an empty response", () => {
    expect(score({ answer: "Paris" }, {})).toEqual(ALL_ZERO);
  });

  it("accepts numbers in answers and responses", () => {
    expect(score({ answer: 4 } as unknown as Example, { response: 4 } as unknown as Output)).toEqual(ALL_ONE);
    expect(score({ answers: "four" } as unknown as Example, "four")).toEqual(ALL_ONE);
  });

  it("compares golds that normalization would empty as they are", () => {
    expect(answer("A", "A")).toEqual(ALL_ONE);
    expect(answer("A", "a.")).toEqual(ALL_ONE);
    expect(answer("A", "The")).toEqual(ALL_ZERO);
    expect(answer("A", "B")).toEqual(ALL_ZERO);
    expect(answer("A", "The answer is A")).toMatchObject({ exact_match: 0, contains: 1, recall: 1 });
    expect(answer("+", "+")).toEqual(ALL_ONE);
    expect(answer("+", "-")).toEqual(ALL_ZERO);
    expect(answer("+", "")).toEqual(ALL_ZERO);
  });

  describe("scoring a context alone", () => {
    it("gives recall and contains only", () => {
      expect(score({ answer: "Ada Lovelace" }, { context: "Then Ada Lovelace spoke." })).toEqual({
        recall: 1,
        contains: 1,
      });
      expect(score({ answer: "Ada Lovelace" }, { context: "Ada, and later a Lovelace" })).toEqual({
        recall: 1,
        contains: 0,
      });
      expect(score({ answer: "Ada Lovelace" }, { context: "" })).toEqual({ recall: 0, contains: 0 });
      expect(score({ answers: ["x", "Ada"] }, { context: "Ada" })).toEqual({ recall: 1, contains: 1 });
    });

    it("scores the response when there is one", () => {
      expect(score({ answer: "Ada" }, { response: "Bob", context: "Ada" })).toEqual(ALL_ZERO);
      expect(score({ answer: "Ada" }, { response: "", context: "Ada" })).toEqual(ALL_ZERO);
      expect(score({ answer: "Ada" }, { response: null, context: "Ada" } as unknown as Output)).toEqual(ALL_ZERO);
    });

    it("does not score an unanswerable example", () => {
      const scored = quality.score(
        { id: 1, question: "q", unanswerable: true },
        { context: "c" },
      ) as ScoredWithEvidence;
      expect(scored.scores).toEqual({});
      expect(Object.keys(scored.unscored ?? {})).toEqual(["recall", "contains"]);
    });
  });

  describe("without a gold answer", () => {
    it.each([{}, { answer: "" }, { answer: "  " }, { answers: [] }, { answers: [""] }, { answerable: true }])(
      "does not score %j, and explains why",
      (gold) => {
        const scored = quality.score({ id: 1, question: "q", ...gold }, { response: "" }) as ScoredWithEvidence;
        expect(scored.scores).toEqual({});
        expect(Object.keys(scored.unscored ?? {})).toEqual(quality.fields);
        expect(scored.unscored?.f1).toMatch(/no gold answer.* and is not marked unanswerable$/);
      },
    );

    it("describes what is in place of a gold answer", () => {
      const example = { id: 1, question: "q", answers: [{ value: "Paris" }] } as unknown as Example;
      expect((quality.score(example, { response: "Paris" }) as ScoredWithEvidence).unscored?.f1).toBe(
        "the example has no gold answer (answers is a list whose first item is an object with value) and is not marked unanswerable",
      );
    });

    it.each([
      { unanswerable: true },
      { is_impossible: true },
      { answers: [], answerable: false },
      { is_impossible: "True", answer: "" },
    ])("scores the abstention of %j", (gold) => {
      expect(score(gold, "I don't know.")).toEqual(ALL_ONE);
      expect(score(gold, "")).toEqual(ALL_ONE);
      expect(score(gold, "Paris")).toEqual(ALL_ZERO);
    });

    it("accepts both when an unanswerable example also has gold answers", () => {
      expect(score({ unanswerable: true, answers: ["Paris"] }, "unanswerable")).toEqual(ALL_ONE);
      expect(score({ unanswerable: true, answers: ["Paris"] }, "Paris")).toEqual(ALL_ONE);
      expect(score({ unanswerable: true, answers: ["Paris"] }, "Rome")).toEqual(ALL_ZERO);
    });

    it("does not accept an abstention for an answerable example", () => {
      expect(score({ answer: "Paris", unanswerable: false }, "unanswerable")).toEqual(ALL_ZERO);
    });

    it.each(["", "  \n", "a", "The.", "…", "…!"])(
      "does not accept %j as an abstention when acceptsSilence is false",
      (response) => {
        const strict = new AnswerQuality({ acceptsSilence: false });
        expect(strict.score({ id: 1, unanswerable: true }, { response })).toMatchObject({ f1: 0, exact_match: 0 });
        const gold = { id: 1, unanswerable: true, answer: "You did not mention cats." };
        expect(strict.score(gold, { response })).toMatchObject({ f1: 0, contains: 0 });
        expect(strict.score({ id: 1, unanswerable: true }, { response: "I don't know." })).toMatchObject({ f1: 1 });
      },
    );

    it("has another fingerprint only when acceptsSilence is false", () => {
      const usual = new AnswerQuality().fingerprint();
      expect(usual).toEqual({ evaluator: "answer_quality", version: 2, abstentions: [] });
      expect(new AnswerQuality({ acceptsSilence: true }).fingerprint()).toEqual(usual);
      expect(new AnswerQuality({ acceptsSilence: false }).fingerprint()).not.toEqual(usual);
    });

    it("accepts custom abstentions", () => {
      const strict = new AnswerQuality({ abstentions: ["Keine Ahnung!"] });
      expect(strict.score({ id: 1, question: "q", unanswerable: true }, { response: "keine ahnung" })).toEqual(ALL_ONE);
      expect(score({ unanswerable: true }, "keine ahnung")).toEqual(ALL_ZERO);
      expect(strict.fingerprint()).not.toEqual(quality.fingerprint());
    });
  });

  it("keeps every score in [0, 1], f1 and exact match symmetric, and containment consistent with recall", () => {
    const word = fc.constantFrom("red", "blue", "the", "1", "10", "O'Neil", "é", "...");
    const text = fc.array(word, { minLength: 1, maxLength: 8 }).map((words) => words.join(" "));
    const worded = text.filter((words) => normalizeAnswer(words) !== "");
    fc.assert(
      fc.property(worded, worded, (a, b) => {
        const scores = answer(a, b);
        const back = answer(b, a);
        for (const value of Object.values(scores)) expect(value >= 0 && value <= 1).toBe(true);
        expect(back.f1).toBeCloseTo(scores.f1 ?? Number.NaN, 12);
        expect(back.exact_match).toBe(scores.exact_match);
        if (scores.exact_match === 1) expect(scores).toEqual(ALL_ONE);
        if (scores.contains === 1) expect(scores.recall).toBe(1);
        expect((scores.f1 ?? 0) > 0).toBe((scores.recall ?? 0) > 0);
        expect(answer(a, a)).toEqual(ALL_ONE);
      }),
      { numRuns: 500 },
    );
  });

  it("finds a gold between words, and never inside one", () => {
    const word = fc.string({ unit: fc.constantFrom("x", "y", "1"), minLength: 1, maxLength: 3 });
    const words = fc.array(word, { maxLength: 6 });
    fc.assert(
      fc.property(words, fc.array(word, { minLength: 1, maxLength: 2 }), words, (before, gold, after) => {
        const text = [...before, ...gold, ...after].join(" ");
        expect(answer(gold.join(" "), text).contains).toBe(1);
        const glued = [...before.map((item) => `z${item}`), `z${gold.join("")}z`].join(" ");
        expect(answer(gold.join(" "), glued).contains).toBe(0);
      }),
    );
  });

  it("stays linear on contexts of megabytes", async () => {
    // A quadratic algorithm would exceed the test's time limit.
    const unit = "the quick brown fox, a dog — and O'Neil's cat ".repeat(2500);
    const absent = await quality.score(
      { id: 1, answers: ["needle in a haystack", "no such words"] },
      { context: unit.repeat(10) },
    );
    expect(absent).toMatchObject({ contains: 0 });
    const found = await quality.score({ id: 1, answer: "needle" }, { context: `${unit.repeat(10)} needle` });
    expect(found).toEqual({ recall: 1, contains: 1 });
  });

  it("declares what it emits", () => {
    expect(quality.fields).toEqual(["f1", "exact_match", "recall", "contains"]);
    expect(quality.primaryFields).toEqual(["f1", "contains"]);
    expect(Object.keys(answer("a b", "b"))).toEqual(quality.fields);
    expect(quality.name).toBe("answer_quality");
  });
});

describe("isAbstention", () => {
  it.each([
    "",
    "  ",
    "Unanswerable",
    "unanswerable.",
    "not answerable",
    "No answer.",
    "no answer found",
    "I don't know",
    "I don’t know.",
    "I do not know the answer to this question.",
    "It cannot be determined.",
    "Cannot be determined from the given text.",
    "The answer cannot be determined based on the passage.",
    "The question cannot be answered from the context.",
    "This question is unanswerable.",
    "I cannot answer this question.",
    "I'm sorry, but I cannot answer that.",
    "Unknown",
    "N/A",
    "None",
    "Not mentioned in the text",
    "There is not enough information to answer.",
    "Insufficient information",
    "I'm not sure.",
    "We are unable to determine this.",
  ])("recognizes %j", (text) => {
    expect(isAbstention(text)).toBe(true);
  });

  it.each([
    "Paris",
    "I don't know, perhaps Paris",
    "It cannot be determined from the text, but probably Paris",
    "The Unknown Soldier",
    "unknown soldier",
    "None of the above is Paris",
    "No answering machine",
    "He did not know",
    "The answer is Paris",
    "Not sure whether it was 1990 or 1991",
    `I don't know ${"x ".repeat(200)}`,
  ])("does not recognize %j", (text) => {
    expect(isAbstention(text)).toBe(false);
  });
});
