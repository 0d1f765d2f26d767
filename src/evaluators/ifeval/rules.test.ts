import { describe, expect, it } from "vitest";
import { checkInstructions, findInstructionProblem, RULES } from "./instructions.js";

type Row = [args: Record<string, unknown>, followed: string[], broken: string[]];

const BULLETS = "* one\n* two\n- three";

/** For each instruction: its arguments, responses that follow it, and responses that do not, according to the official grader. */
const TABLE: Record<string, Row[]> = {
  "keywords:existence": [
    [{ keywords: ["cat", "dog"] }, ["Dogs and CATS", "concatenate doggedly"], ["only a cat", "c at dog"]],
    [{ keywords: ["e.g."] }, ["Fruit, e.g. figs", "begged"], ["e\ng\n"]],
    // Unlike the official grader, which uses the keyword as a pattern.
    [{ keywords: ["C++"] }, ["I like c++ a lot"], ["C and CCC"]],
  ],
  "keywords:frequency": [
    [{ keyword: "war", frequency: 2, relation: "at least" }, ["war and War", "towards a warm day"], ["one war"]],
    [{ keyword: " war ", frequency: 2, relation: "less than" }, ["one war", "peace"], ["war, WAR"]],
    [{ keyword: "aa", frequency: 2, relation: "at least" }, ["aaaa"], ["aaa"]],
    [{ keyword: "hi", frequency: 1, relation: "at least" }, ["hı", "Hİ"], ["ho"]],
    [{ keyword: "hı", frequency: 1, relation: "at least" }, ["hi", "HI", "Hİ", "hı"], ["ho"]],
    [{ keyword: "hİ", frequency: 1, relation: "at least" }, ["hi", "HI", "Hİ", "hı"], ["ho"]],
  ],
  "keywords:forbidden_words": [
    [
      { forbidden_words: ["can", "ride"] },
      ["A canyon", "rider", "can_ opener", "canä", "pecan"],
      ["I can.", "RIDE on", "can-do", "«ride»", "can\u0301"],
    ],
    [{ forbidden_words: ["a.a", "😀"] }, ["banana", "x", "😀😀"], ["x a-a", "a\u0301a", "x😀y"]],
  ],
  "keywords:letter_frequency": [
    [{ letter: "Q", let_frequency: 2, let_relation: "at least" }, ["q and Q"], ["a queen"]],
    [{ letter: "#", let_frequency: 2, let_relation: "less than" }, ["#one", "none"], ["#a #b"]],
  ],
  "length_constraints:number_words": [
    [{ num_words: 3, relation: "at least" }, ["one two three", "it's me"], ["one two", "one_two 3"]],
    [{ num_words: 3, relation: "less than" }, ["one two"], ["well-known me"]],
    [{ num_words: 0, relation: "at least" }, ["x"], [""]],
  ],
  "length_constraints:number_sentences": [
    [{ num_sentences: 2, relation: "at least" }, ["One. Two.", "Yes! Is it?"], ["Dr. Smith left.", "One.Two."]],
    [{ num_sentences: 2, relation: "less than" }, ["Mr. Jones", "At 5 p.m. sharp"], ["1. First\n2. Second"]],
  ],
  "length_constraints:number_paragraphs": [
    [
      { num_paragraphs: 2 },
      ["a\n***\nb", "a***b", "***\na *** b\n***\n", "a****b"],
      ["a\n\nb", "a\n***\n***\nb", "a***b***c", "a\n* * *\nb"],
    ],
  ],
  "length_constraints:nth_paragraph_first_word": [
    [
      { num_paragraphs: 2, nth_paragraph: 2, first_word: "Send" },
      ["Hi.\n\nSend it.", 'Hi.\n\n"Send" it', "Hi.\n\nsend's it", "Hi.\n\nsend, it\n\n"],
      ["Hi.\n\nPlease send", "Send it", "Hi.\nSend", "A.\n\nSend\n\nC.", "Hi.\n\n**Send** it", "\n\nHi.\n\nSend it."],
    ],
  ],
  "detectable_content:number_placeholders": [
    [{ num_placeholders: 2 }, ["[a] [b]", "[] [[x]"], ["[a]", "[a\n] [b]", "] [a ["]],
  ],
  "detectable_content:postscript": [
    [{ postscript_marker: "constructor" }, ["The Constructor"], ["none"]],
    [
      { postscript_marker: "P.S." },
      ["Bye\nP.S. more", "p. s. more", "hi P.S."],
      ["PS: more", "P.S more", "P.P.S more"],
    ],
    [{ postscript_marker: "P.P.S" }, ["p.p.s.", "P. P. S", "P.P.Sure"], ["P.S. x", "PPS"]],
    [{ postscript_marker: "N.B." }, ["n.b. this", "unxbx"], ["nb"]],
  ],
  "detectable_format:number_bullet_lists": [
    [
      { num_bullets: 3 },
      [BULLETS, `${BULLETS}\n** four`, "\n\n  * a\n\t- b\n-"],
      [`${BULLETS}\n* four`, "* one\n* two"],
    ],
    [{ num_bullets: 1 }, ["*\n* two", "text\n---", "*\n"], ["*", "**bold**", "a * b", "+ one"]],
    [{ num_bullets: 2 }, ["*\n\n* a", "- a\n\n\n- b"], ["*\n* a\n"]],
  ],
  "detectable_format:constrained_response": [
    [{}, ["My answer is yes.", "**My answer is maybe.** Well"], ["my answer is yes.", "My answer is no", "Yes."]],
  ],
  "detectable_format:number_highlighted_sections": [
    [
      { num_highlights: 2 },
      ["*a* and *b*", "**a** **b**", "***x***", "*a*b*c*"],
      ["*a*", "**bold**", "* * * *", "*a\nb* *c", "**  **"],
    ],
  ],
  "detectable_format:multiple_sections": [
    [
      { section_spliter: "Section", num_sections: 2 },
      ["Section 1\nx\nSection 2", "Section1 Section2", "Section 1 Section ٢", "Section 1 Section 1 Section 1"],
      ["Section 1", "SECTION 1 SECTION 2", "Section: 1 Section: 2", "Section  1 Section  2"],
    ],
  ],
  "detectable_format:json_format": [
    [
      {},
      [
        '{"a": 1}',
        '```json\n{"a": [1]}\n```',
        "```JSON\n[]```",
        "```\n12\n```",
        '{"a": NaN, "b": -Infinity}',
        '"x"',
        '```json\n{"a": 1}',
      ],
      ["{'a': 1}", '{"a": 1,}', 'Here: {"a": 1}', '"NaN', "-NaN", "[1Infinity]", "{NaN: 1}", "\ufeff{}", "```"],
    ],
  ],
  "detectable_format:title": [
    [
      {},
      ["<<My poem>>", "x <<a>> y", "<< <>>", "<<a>>b>>"],
      ["<My poem>", "<<>>", "<< >>", "<<a\nb>>", "<<<>>>", ">>a<<"],
    ],
  ],
  "combination:two_responses": [
    [
      {},
      ["a\n******\nb", "******a******b******", "a*******b"],
      ["a", "a******a", "a ****** ****** b", "a******b******c", "a*****b", "******a"],
    ],
  ],
  "combination:repeat_prompt": [
    [
      { prompt_to_repeat: " Write a poem. " },
      ["Write a poem.\n\nRoses", "  WRITE A POEM. ok"],
      ['"Write a poem."', "Write  a poem."],
    ],
  ],
  "startend:end_checker": [
    [
      { end_phrase: "Is that all?" },
      ["Yes. is that all?", 'Well, "is that ALL?"\n'],
      ["Is that all? Yes.", 'Is that all? "'],
    ],
  ],
  "startend:quotation": [[{}, ['"all of it"', ' ""\n'], ['"', '"half', "“curly”", "'single'"]]],
  "change_case:english_capital": [
    [
      {},
      ["THIS IS A SHORT TEXT IN ENGLISH, AND IT IS WRITTEN FOR YOU."],
      ["THIS is not", "12345", "DAS IST EIN SCHÖNER TAG UND ICH GEHE NACH HAUSE"],
    ],
  ],
  "change_case:english_lowercase": [
    [
      {},
      ["this is a short text in english, and it is written for you."],
      ["This is not", "12345", "das ist ein schöner tag und ich gehe nach hause"],
    ],
  ],
  "language:response_language": [
    [
      { language: "de" },
      ["Heute regnet es, deshalb bleiben wir zu Hause.", "12345", "😀"],
      ["It is raining today, so we stay at home."],
    ],
    [{ language: "mr" }, ["आज पाऊस पडत आहे म्हणून आम्ही घरी आहोत."], ["आज बारिश हो रही है इसलिए हम घर पर हैं।"]],
  ],
  "change_case:capital_word_frequency": [
    [
      { capital_frequency: 2, capital_relation: "at least" },
      ["NASA and ESA", "I CAN", "CAN'T"],
      ["NASA only", "Title Case"],
    ],
    [{ capital_frequency: 2, capital_relation: "less than" }, ["NASA only"], ["I saw NASA"]],
  ],
  "punctuation:no_comma": [[{}, ["no commas here", "one، two、three"], ["one, two", ","]]],
};

describe.each(Object.entries(TABLE))("%s", (id, rows) => {
  const cases = rows.flatMap(([args, followed, broken]) => [
    ...followed.map((response) => [response, true, args] as const),
    ...broken.map((response) => [response, false, args] as const),
  ]);
  it.each(cases)("judges %j as %s", async (response, isFollowed, args) => {
    expect(findInstructionProblem({ id, args })).toBeNull();
    const { strict } = checkInstructions([{ id, args }], response, await detector());
    expect(strict).toEqual([isFollowed]);
  });
});

/** Loaded once for the whole table. */
let loaded: Promise<(text: string) => string | null> | null = null;

function detector(): Promise<(text: string) => string | null> {
  loaded ??= Promise.all([import("./detect-language.js"), import("./detect-language.js")]).then(
    ([{ createLanguageDetector }, { loadLanguageProfiles }]) => createLanguageDetector(loadLanguageProfiles()),
  );
  return loaded;
}

it("has a table for each of the 25 instructions", () => {
  expect(Object.keys(RULES).sort()).toEqual(Object.keys(TABLE).sort());
  expect(Object.keys(RULES)).toHaveLength(25);
});

it("rejects a blank response for every instruction", () => {
  for (const [id, rows] of Object.entries(TABLE)) {
    const args = rows[0]?.[0] ?? {};
    expect(checkInstructions([{ id, args }], " \n\t", () => null)).toEqual({ strict: [false], loose: [false] });
  }
});

describe("findInstructionProblem", () => {
  it.each([
    ["keywords:existence", {}, "keywords is missing"],
    ["keywords:existence", { keywords: [] }, "keywords is invalid"],
    ["keywords:frequency", { keyword: "a", frequency: 1 }, "relation is missing"],
    ["keywords:letter_frequency", { letter: "ab", let_frequency: 1, let_relation: "at least" }, "a single character"],
    ["length_constraints:number_words", { relation: "at most", num_words: 3 }, '"less than" or "at least"'],
    ["length_constraints:number_words", { relation: "at least", num_words: -1 }, "a number of at least 0"],
    [
      "length_constraints:nth_paragraph_first_word",
      { num_paragraphs: 2, nth_paragraph: 3, first_word: "a" },
      "nth_paragraph",
    ],
    ["combination:repeat_prompt", {}, "prompt_to_repeat is missing"],
    ["language:response_language", { language: "xx" }, "language"],
    ["made:up", {}, 'unknown instruction "made:up"'],
    ["toString", {}, 'unknown instruction "toString"'],
  ])("reports %s with %j", (id, args, reason) => {
    expect(findInstructionProblem({ id, args })).toContain(reason);
  });
});
