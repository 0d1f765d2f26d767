import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageError } from "../core/errors.js";
import type { ScoredWithEvidence } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import { LANGUAGE_IDS } from "./ifeval/case-rules.js";
import { listLooseResponses } from "./ifeval/instructions.js";
import { IFEvalChecker } from "./ifeval-checker.js";

const checker = new IFEvalChecker();

async function score(fields: Record<string, unknown>, response: unknown): Promise<ScoredWithEvidence> {
  const output = { response } as { response: string };
  return (await checker.score({ id: 1, question: "q", ...fields }, output)) as ScoredWithEvidence;
}

const ask = (id: string, args: Record<string, unknown> = {}) => ({ instruction_id_list: [id], kwargs: [args] });
const NO_COMMA = ask("punctuation:no_comma");
const all = (value: number) => ({
  ifeval_strict: value,
  ifeval_loose: value,
  ifeval_instruction_strict: value,
  ifeval_instruction_loose: value,
});

describe("levels", () => {
  const TWO = { instruction_id_list: ["punctuation:no_comma", "startend:quotation"], kwargs: [{}, {}] };

  it("scores the prompt level by all instructions and the instruction level by their share", async () => {
    expect((await score(TWO, '"all of it"')).scores).toEqual(all(1));
    expect((await score(TWO, "one, two")).scores).toEqual(all(0));
    const { scores, evidence } = await score(TWO, "no quotes");
    expect(scores).toEqual({ ...all(0), ifeval_instruction_strict: 0.5, ifeval_instruction_loose: 0.5 });
    expect(evidence?.ifeval_strict).toBe("not followed: startend:quotation");
  });

  it("tolerates a first line, a last line and asterisks in loose mode", async () => {
    const { scores, evidence } = await score(TWO, 'Sure, here it is:\n**"all of it"**\nBye, now');
    expect(scores).toEqual({ ...all(1), ifeval_strict: 0, ifeval_instruction_strict: 0 });
    expect(evidence).toEqual({
      ifeval_strict: "not followed: punctuation:no_comma, startend:quotation",
      ifeval_loose: "all followed",
    });
  });

  it("judges each instruction by its own best loose form", async () => {
    const fields = {
      instruction_id_list: ["punctuation:no_comma", "keywords:existence"],
      kwargs: [{}, { keywords: ["sure"] }],
    };
    expect((await score(fields, "Sure, yes:\nno commas")).scores.ifeval_loose).toBe(1);
  });

  it.each([null, undefined, "", " \n"])("does not accept %j as a response", async (response) => {
    expect((await score(NO_COMMA, response)).scores).toEqual(all(0));
  });
});

describe("listLooseResponses", () => {
  it("returns the eight forms", () => {
    const forms = listLooseResponses("*a*\n*b*\n\n*c*");
    expect(new Set(forms)).toEqual(
      new Set(["*a*\n*b*\n\n*c*", "a\nb\n\nc", "*b*\n\n*c*", "b\n\nc", "*a*\n*b*", "a\nb", "*b*", "b"]),
    );
  });

  it("always includes the response itself", () => {
    fc.assert(fc.property(fc.string(), (text) => listLooseResponses(text).includes(text)));
  });

  it("is never stricter than strict", async () => {
    const lines = fc.array(fc.constantFrom("a, b", "*x*", "* y", "<<t>>", '"', "", "P.S. z"), { maxLength: 5 });
    const ids = [
      "punctuation:no_comma",
      "startend:quotation",
      "detectable_format:title",
      "detectable_format:json_format",
    ];
    await fc.assert(
      fc.asyncProperty(lines, fc.constantFrom(...ids), async (parts, id) => {
        const { scores } = await score(ask(id), parts.join("\n"));
        expect(scores.ifeval_loose).toBeGreaterThanOrEqual(scores.ifeval_strict ?? 1);
      }),
    );
  });
});

describe("examples", () => {
  it("may hold the instructions as JSON, under either name, with null arguments", async () => {
    const wanted = [{ num_words: 2, relation: "at least", keywords: null }];
    const id = "length_constraints:number_words";
    expect((await score({ instruction_ids: [id], kwargs: wanted }, "one two")).scores).toEqual(all(1));
    const texts = { instruction_id_list: JSON.stringify([id]), kwargs: JSON.stringify(wanted) };
    expect((await score(texts, "one two")).scores).toEqual(all(1));
  });

  it("may omit the arguments if none are needed", async () => {
    expect((await score({ instruction_ids: ["punctuation:no_comma"] }, "x")).scores).toEqual(all(1));
  });

  it.each([
    [{}, "the example has no instruction_id_list"],
    [{ instruction_id_list: [] }, "instruction_id_list is not a list of instruction ids"],
    [{ instruction_id_list: "punctuation:no_comma" }, "instruction_id_list is not a list of instruction ids"],
    [{ ...NO_COMMA, kwargs: {} }, "kwargs is not a list with the arguments of each instruction"],
    [ask("made:up"), 'unknown instruction "made:up"'],
    [ask("x".repeat(1000)), `unknown instruction "${"x".repeat(60)}"`],
    [
      { instruction_id_list: Array.from({ length: 7 }, (_, i) => `x:${i}`) },
      `${[0, 1, 2, 3, 4].map((i) => `unknown instruction "x:${i}"`).join("; ")}; and 2 more`,
    ],
    [
      ask("keywords:existence", { keywords: ["i".repeat(100_000)] }),
      "keywords:existence: keywords is invalid: it must be no longer than 1000 characters",
    ],
    [
      ask("keywords:frequency", { keyword: "x".repeat(100_000), frequency: 1, relation: "at least" }),
      "keywords:frequency: keyword is invalid: it must be no longer than 1000 characters",
    ],
    [
      ask("detectable_format:number_bullet_lists"),
      "detectable_format:number_bullet_lists: num_bullets is missing: it must be a number of at least 0",
    ],
  ])("are unscored in all fields for %j", async (fields, reason) => {
    const { scores, unscored } = await score(fields, "anything");
    expect(scores).toEqual({});
    expect(unscored).toEqual(Object.fromEntries(checker.fields.map((field) => [field, reason])));
  });
});

describe("worker threads", () => {
  it("detect the language", async () => {
    const german = ask("language:response_language", { language: "de" });
    expect((await score(german, "Heute regnet es, deshalb bleiben wir zu Hause.")).scores).toEqual(all(1));
    expect((await score(german, "It is raining today, so we stay at home.")).scores).toEqual(all(0));
  });

  it("check long responses", async () => {
    expect(checker.score({ id: 1, ...NO_COMMA }, { response: "x".repeat(100_000) })).toBeInstanceOf(Promise);
    expect((await score(NO_COMMA, "x".repeat(100_000))).scores).toEqual(all(1));
  });

  it("pass on an abort of the run, which says nothing about the response", async () => {
    const abort = new AbortController();
    const scoring = checker.score({ id: 1, ...NO_COMMA }, { response: "x".repeat(100_000) }, { signal: abort.signal });
    abort.abort(new Error("the run is over"));
    await expect(scoring).rejects.toThrow("the run is over");
  });

  it("leave a response unscored that takes too long", async () => {
    const hasty = new IFEvalChecker({ limitMs: 0.001 });
    const example = {
      id: 1,
      ...ask("length_constraints:number_sentences", { num_sentences: 1, relation: "at least" }),
    };
    const { scores, unscored } = (await hasty.score(example, {
      response: "A. ".repeat(300_000),
    })) as ScoredWithEvidence;
    expect(scores).toEqual({});
    expect(unscored?.ifeval_strict).toContain("exceeded its limit");
  });
});

it("rejects an invalid limit", () => {
  expect(() => new IFEvalChecker({ limitMs: 0 })).toThrow(UsageError);
  expect(() => new IFEvalChecker({ limitMs: Number.NaN })).toThrow("limitMs must be a number of milliseconds above 0");
});

it("has its version in the fingerprint", () => {
  expect(checker.fingerprint()).toEqual({ evaluator: "ifeval_checker", version: 1 });
});

const PROMPTS = new URL("../../../shared/data/ifeval-input_data.jsonl", import.meta.url);
const isThere = existsSync(PROMPTS);
if (!isThere) console.warn(`Not tested: the official prompts, because ${PROMPTS.pathname} is not there.`);

interface Prompt {
  key: number;
  prompt: string;
  instruction_id_list: string[];
  kwargs: Record<string, unknown>[];
}

function readPrompts(): Prompt[] {
  return readFileSync(PROMPTS, "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Prompt);
}

/** All arguments; an instruction has some of them. */
interface Args {
  keywords: string[];
  keyword: string;
  frequency: number;
  relation: string;
  forbidden_words: string[];
  letter: string;
  let_frequency: number;
  let_relation: string;
  num_words: number;
  num_sentences: number;
  num_paragraphs: number;
  nth_paragraph: number;
  first_word: string;
  num_placeholders: number;
  postscript_marker: string;
  num_bullets: number;
  num_highlights: number;
  section_spliter: string;
  num_sections: number;
  prompt_to_repeat: string;
  end_phrase: string;
  capital_frequency: number;
  capital_relation: string;
}

/** Responses that follow an instruction and responses that break it, where they are easy to construct. */
const MADE: Record<string, (args: Args) => [followed: string, broken: string]> = {
  "keywords:existence": ({ keywords }) => [`(${keywords.join(") (")})`, "x"],
  "keywords:frequency": ({ keyword, frequency, relation }) =>
    inOrder(relation, `${keyword} `.repeat(frequency), `${keyword} `.repeat(frequency - 1) || "x"),
  "keywords:forbidden_words": ({ forbidden_words: words }) => ["x", `X ${words[0]?.toUpperCase()}.`],
  "keywords:letter_frequency": ({ letter, let_frequency: count, let_relation: relation }) =>
    inOrder(relation, letter.repeat(count), letter.repeat(count - 1) || "-"),
  "length_constraints:number_words": ({ num_words: count, relation }) =>
    inOrder(relation, "Word ".repeat(count), "Word ".repeat(count - 1)),
  "length_constraints:number_sentences": ({ num_sentences: count, relation }) =>
    inOrder(relation, "Dr. Who came. ".repeat(count), "Dr. Who came. ".repeat(count - 1) || ""),
  "length_constraints:number_paragraphs": ({ num_paragraphs: count }) => [
    parts(count, "\n***\n"),
    parts(count + 1, "***"),
  ],
  "length_constraints:nth_paragraph_first_word": ({ num_paragraphs: count, nth_paragraph: nth, first_word: word }) => {
    const paragraphs = parts(count, "\n\n").split("\n\n");
    return [
      paragraphs.with(nth - 1, `${word}, then.`).join("\n\n"),
      paragraphs.with(nth - 1, `a ${word}`).join("\n\n"),
    ];
  },
  "detectable_content:number_placeholders": ({ num_placeholders: count }) => [
    "[a]".repeat(count),
    "[a]".repeat(count - 1) || "x",
  ],
  "detectable_content:postscript": ({ postscript_marker: marker }) => [`Hi.\n\n${marker} bye`, "Hi."],
  "detectable_format:number_bullet_lists": ({ num_bullets: count }) => [
    `List:\n${parts(count, "\n", "* ")}`,
    `List:\n${parts(count + 9, "\n", "- ")}`,
  ],
  "detectable_format:constrained_response": () => ["My answer is maybe.", "Maybe."],
  "detectable_format:number_highlighted_sections": ({ num_highlights: count }) => [
    "*a* ".repeat(count),
    "*a* ".repeat(count - 1) || "x",
  ],
  "detectable_format:multiple_sections": ({ section_spliter: word, num_sections: count }) => [
    `${word} 1\nx\n`.repeat(count),
    `${word} 1\nx\n`.repeat(count - 1),
  ],
  "detectable_format:json_format": () => ['```json\n{"a": 1}\n```', "a: 1"],
  "detectable_format:title": () => ["<<a title>>", "a title"],
  "combination:two_responses": () => ["one\n******\ntwo", "one\n\ntwo"],
  "combination:repeat_prompt": ({ prompt_to_repeat: prompt }) => [`${prompt}\n\nx`, `x\n\ny\n\n${prompt}`],
  "startend:end_checker": ({ end_phrase: phrase }) => [`x\n${phrase}`, `${phrase}\nx\ny`],
  "startend:quotation": () => ['"x"', "x"],
  "change_case:capital_word_frequency": ({ capital_frequency: count, capital_relation: relation }) =>
    inOrder(relation, "NASA ".repeat(count), "NASA ".repeat(count - 1) || "x"),
  "change_case:english_capital": () => ["IT IS RAINING TODAY, SO WE STAY AT HOME AND READ A BOOK.", "It is raining."],
  "change_case:english_lowercase": () => ["it is raining today, so we stay at home.", "It is raining."],
  "punctuation:no_comma": () => ["x", "x, y, z"],
};

function inOrder(relation: string, reaches: string, misses: string): [string, string] {
  return relation === "at least" ? [reaches, misses] : [misses, reaches];
}

function parts(count: number, separator: string, sign = ""): string {
  return Array.from({ length: count }, (_, place) => `${sign}part ${place + 1}`).join(separator);
}

describe.skipIf(!isThere)("the 541 official prompts", () => {
  const prompts = isThere ? readPrompts() : [];

  it("have instructions and arguments that are all accepted", async () => {
    expect(prompts).toHaveLength(541);
    const results = await Promise.all(
      prompts.map(({ key: _, ...fields }) => score(fields, "A short, plain response.")),
    );
    expect(results.filter(({ unscored }) => unscored !== undefined)).toEqual([]);
    for (const { scores } of results) expect(Object.keys(scores).sort()).toEqual([...checker.fields].sort());
  });

  it("are followed and broken by responses made for each instruction", async () => {
    const wrong: unknown[] = [];
    for (const { instruction_id_list: ids, kwargs } of prompts) {
      for (const [place, id] of ids.entries()) {
        const made = MADE[id]?.(kwargs[place] as unknown as Args);
        if (made === undefined) continue;
        const [followed, broken] = await Promise.all(made.map((response) => score(ask(id, kwargs[place]), response)));
        if (followed?.scores.ifeval_strict !== 1) wrong.push([id, kwargs[place], made[0]]);
        if (broken?.scores.ifeval_strict !== 0) wrong.push([id, kwargs[place], made[1]]);
      }
    }
    expect(wrong).toEqual([]);
    const covered = new Set(prompts.flatMap(({ instruction_id_list: ids }) => ids));
    expect([...covered].filter((id) => MADE[id] === undefined)).toEqual(["language:response_language"]);
  });

  it("need a worker thread only for language instructions", () => {
    for (const { key: _, ...fields } of prompts) {
      const isSlow = fields.instruction_id_list.some((id) => LANGUAGE_IDS.has(id));
      const result = checker.score({ id: 1, ...fields } as Example, { response: "x" });
      expect(result instanceof Promise).toBe(isSlow);
    }
  });
});
