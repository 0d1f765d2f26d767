import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../core/errors.js";
import type { Example } from "../../core/example.js";
import { computeFingerprint } from "../../core/fingerprint.js";
import type { System, Tokenizer, TrialContext } from "../../core/system.js";
import { generateNeedles } from "../../datasets/generate-needles.js";
import { AnswerQuality } from "../../evaluators/index.js";
import { loadTokenizer } from "../../models/tokens/index.js";
import { dedupe } from "./dedupe.js";
import { extract } from "./extract.js";
import { compressorFactories } from "./factories.js";
import { passthrough } from "./passthrough.js";
import { stopwords } from "./stopwords.js";
import { TRUNCATE_MODES, type TruncateMode, truncate } from "./truncate.js";
import { window } from "./window.js";

const trial: TrialContext = { signal: new AbortController().signal, budget: null, trial: 0, seed: 0, log: () => {} };
const words: Tokenizer = { name: "words", count: (text) => text.split(/\s+/).filter(Boolean).length };
const characters: Tokenizer = { name: "characters", count: (text) => Array.from(text).length };
const cl100k = loadTokenizer("cl100k_base");

function compress(system: System, context: string, question?: string): string {
  const example: Example = { id: 1, context, ...(question === undefined ? {} : { question }) };
  const output = system.process(example, trial);
  expect(Object.keys(output)).toEqual(["context"]);
  return (output as { context: string }).context;
}

const everyCompressor = () => [
  passthrough(),
  truncate({ share: 0.5 }),
  truncate({ share: 0.5, mode: "middle" }),
  extract({ share: 0.5 }),
  window({ share: 0.5 }),
  dedupe(),
  stopwords(),
];

const proseWords = fc.constantFrom(
  "red",
  "Blue",
  "the",
  "fox.",
  "Why?",
  "3.14",
  "😀",
  "漢字",
  "O'Neil",
  "a",
  "antidisestablishmentarianismist!",
  "\n",
  "\n\n",
);
const prose = fc.array(proseWords, { maxLength: 60 }).map((list) => list.join(" "));

describe("every compressor", () => {
  it("returns an empty output for an example without a context", () => {
    for (const system of everyCompressor()) expect(system.process({ id: 1, question: "q" }, trial)).toEqual({});
  });

  it("returns an empty context for an empty context", () => {
    for (const system of everyCompressor()) expect(compress(system, "", "q")).toBe("");
  });

  it("has a fingerprint that depends on its parameters", () => {
    const systems = [
      ...everyCompressor(),
      truncate({ share: 0.4 }),
      truncate({ share: 0.5, mode: "tail" }),
      truncate({ share: 0.5, tokenizer: words }),
      extract({ share: 0.4 }),
      extract({ share: 0.5, tokenizer: words }),
      window({ share: 0.4 }),
      window({ share: 0.5, words: 10 }),
      dedupe({ threshold: 0.9 }),
    ];
    const prints = systems.map((system) => computeFingerprint(system, "process"));
    expect(new Set(prints).size).toBe(systems.length);
    expect(computeFingerprint(truncate({ share: 0.5 }), "process")).toBe(prints[1]);
  });

  it("handles any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (context, question) => {
        for (const system of everyCompressor()) expect(typeof compress(system, context, question)).toBe("string");
      }),
    );
  });

  it("stays linear on long texts without sentences or spaces", () => {
    for (const context of [
      "a".repeat(100_000),
      " ".repeat(100_000),
      "漢".repeat(30_000),
      "word ".repeat(40_000),
      "x.\n".repeat(20_000),
    ]) {
      // A quadratic algorithm would exceed the test's time limit.
      for (const system of everyCompressor()) expect(typeof compress(system, context, "word a")).toBe("string");
    }
  });
});

describe("passthrough", () => {
  it("returns the context unchanged", () => {
    expect(compress(passthrough(), " as  it is\n")).toBe(" as  it is\n");
  });
});

describe("truncate", () => {
  const text = "one two three four five six seven eight nine ten";
  const cut = (share: number, mode?: TruncateMode) =>
    compress(truncate({ share, tokenizer: words, ...(mode === undefined ? {} : { mode }) }), text);

  it("keeps the head, the tail or both", () => {
    expect(cut(0.3)).toBe("one two three");
    expect(cut(0.3, "tail")).toBe("eight nine ten");
    // Ten words, five allowed: two for the head, one for the gap mark, two for the tail.
    expect(cut(0.5, "middle")).toBe("one two\n…\nnine ten");
    expect(cut(0.05)).toBe("");
    expect(cut(0.05, "middle")).toBe("");
    for (const mode of TRUNCATE_MODES) expect(cut(1, mode)).toBe(text);
  });

  it("rounds the share down, except for binary rounding errors", () => {
    const hundred = Array.from({ length: 100 }, (_, index) => `w${index}`).join(" ");
    const kept = (share: number) => words.count(compress(truncate({ share, tokenizer: words }), hundred));
    expect([0.29, 0.57, 0.299, 0.009].map(kept)).toEqual([29, 57, 29, 0]);
  });

  it("cuts text without spaces between characters, never inside one", () => {
    const cut = compress(truncate({ share: 0.5, tokenizer: characters }), "😀".repeat(41));
    expect(cut).toBe("😀".repeat(20));
    expect(compress(truncate({ share: 0.5, mode: "tail", tokenizer: characters }), "😀".repeat(41))).toBe(
      "😀".repeat(20),
    );
  });

  it.each(TRUNCATE_MODES)("never exceeds its share (%s)", (mode) => {
    fc.assert(
      fc.property(prose, fc.double({ min: 0.01, max: 1, noNaN: true }), (context, share) => {
        for (const tokenizer of [cl100k, words, characters]) {
          const kept = compress(truncate({ share, mode, tokenizer }), context);
          expect(tokenizer.count(kept)).toBeLessThanOrEqual(Math.floor(share * tokenizer.count(context) + 1e-9));
          expect(Buffer.from(kept).toString()).toBe(kept); // A split surrogate pair would come back as U+FFFD.
        }
      }),
      { numRuns: 300 },
    );
  });

  it("keeps as much as any cut at the end of a word would", () => {
    const sentence = fc.array(fc.constantFrom("red", "Blue,", "fox.", "unbelievable", "O'Neil", "😀", "12345"), {
      minLength: 1,
      maxLength: 40,
    });
    fc.assert(
      fc.property(sentence, fc.double({ min: 0.05, max: 1, noNaN: true }), (list, share) => {
        const context = list.join(" ");
        const limit = Math.floor(share * cl100k.count(context) + 1e-9);
        const heads = list.map((_, index) => list.slice(0, index + 1).join(" "));
        const tails = list.map((_, index) => list.slice(index).join(" "));
        const longest = (candidates: readonly string[]) =>
          Math.max(
            0,
            ...candidates.filter((candidate) => cl100k.count(candidate) <= limit).map(({ length }) => length),
          );
        expect(compress(truncate({ share }), context)).toHaveLength(longest(heads));
        expect(compress(truncate({ share, mode: "tail" }), context)).toHaveLength(longest(tails));
      }),
      { numRuns: 300 },
    );
  });

  it("counts a long text a few times, not once per word", () => {
    let counted = 0;
    const tokenizer: Tokenizer = {
      count(text) {
        counted += text.length;
        return words.count(text);
      },
    };
    const context = "word ".repeat(100_000);
    for (const mode of TRUNCATE_MODES) {
      counted = 0;
      compress(truncate({ share: 0.5, mode, tokenizer }), context);
      expect(counted / context.length).toBeLessThan(8);
    }
  });

  it.each([0, -1, 1.01, Number.NaN, 50])("rejects a share of %s", (share) => {
    expect(() => truncate({ share })).toThrow(UsageError);
  });

  it("rejects an unknown mode", () => {
    expect(() => truncate({ share: 0.5, mode: "side" as TruncateMode })).toThrow(/head, tail, middle/);
  });
});

describe("extract", () => {
  const context =
    "The sky was grey. The code of the safe is 4711. Birds sang.\n\nA dog barked at the safe. It rained all day.";

  it("keeps the matching sentences in order", () => {
    const system = extract({ share: 0.5, tokenizer: words });
    expect(compress(system, context, "What is the code of the safe?")).toBe(
      "The sky was grey. The code of the safe is 4711.",
    );
    expect(compress(system, context, "Which dog barked in the rain, and what of birds?")).toBe(
      "Birds sang.\n\nA dog barked at the safe. It rained all day.".replace(" It rained all day.", ""),
    );
  });

  it("keeps the first sentences without a question", () => {
    expect(compress(extract({ share: 0.5, tokenizer: words }), context)).toBe(
      "The sky was grey. The code of the safe is 4711.",
    );
  });

  it("keeps the beginning of the best sentence if none fits", () => {
    const system = extract({ share: 0.2, tokenizer: words });
    expect(compress(system, "one two three four five six seven eight nine ten", "nine")).toBe("one two");
  });

  it("keeps everything if the share allows it", () => {
    expect(compress(extract({ share: 1 }), context, "q")).toBe(context);
  });
});

describe("window", () => {
  it("keeps the matching passages in order", () => {
    const context = "a b c d e f g h i j k l";
    expect(compress(window({ share: 0.5, words: 3, tokenizer: words }), context, "k e")).toBe("d e f j k l");
    expect(compress(window({ share: 0.5, words: 3, tokenizer: words }), context, "e h")).toBe("d e f g h i");
  });

  it.each([0, 1.5, -3])("rejects %s words", (count) => {
    expect(() => window({ share: 0.5, words: count })).toThrow(UsageError);
  });
});

describe("extract and window", () => {
  it("never exceed their share, and keep only existing text", () => {
    fc.assert(
      fc.property(prose, fc.string(), fc.double({ min: 0.01, max: 1, noNaN: true }), (context, question, share) => {
        const limit = Math.floor(share * cl100k.count(context) + 1e-9);
        for (const system of [extract({ share }), window({ share, words: 7 })]) {
          const kept = compress(system, context, question);
          expect(cl100k.count(kept)).toBeLessThanOrEqual(limit);
          const left = context.split(/\s+/);
          for (const word of kept.split(/\s+/).slice(0, -1)) expect(left).toContain(word);
        }
      }),
      { numRuns: 300 },
    );
  });
});

describe("dedupe", () => {
  it.each([
    ["a sentence said twice", "Mind the gap. Go on. Mind the gap.", "Mind the gap. Go on."],
    ["other case and punctuation", "Mind the gap. MIND, the gap! Go on.", "Mind the gap. Go on."],
    [
      "one word more in a long sentence",
      "Visitors are kindly asked to close the gate and keep dogs on a lead. Again, visitors are kindly asked to close the gate and keep dogs on a lead. Bye.",
      "Visitors are kindly asked to close the gate and keep dogs on a lead. Bye.",
    ],
    ["paragraphs, whose breaks stay", "One.\n\nTwo.\n\nOne.\n\nThree.", "One.\n\nTwo.\n\nThree."],
    ["rules without words", "***\n\nOne.\n\n***\n\nTwo.", "***\n\nOne.\n\nTwo."],
  ])("drops %s", (_, context, expected) => {
    expect(compress(dedupe(), context)).toBe(expected);
  });

  it.each([
    ["sentences that share a pattern", "The code of the Marlow archive is red. The code of the Orrin museum is blue."],
    [
      "long sentences that differ in a number",
      "The report of the committee on the state of the roads says that in that year they built 4 bridges. The report of the committee on the state of the roads says that in that year they built 5 bridges.",
    ],
    ["text without repetition, to the letter", "  One.\n Two.  Three.\n\n"],
  ])("keeps %s", (_, context) => {
    expect(compress(dedupe(), context)).toBe(context);
  });

  it("accepts a threshold", () => {
    const context = "The old cat sat on the red mat. The old cat sat on the blue mat.";
    expect(compress(dedupe({ threshold: 0.4 }), context)).toBe("The old cat sat on the red mat.");
    expect(compress(dedupe({ threshold: 1 }), context)).toBe(context);
    for (const threshold of [0, 1.1, Number.NaN]) expect(() => dedupe({ threshold })).toThrow(UsageError);
  });

  const repetitive = fc
    .array(
      fc.constantFrom(
        "Mind the gap",
        "mind the gap now please",
        "One two three four five",
        "One two three four six",
        "x",
        "Dr",
        "It is 5",
        "It is 6",
      ),
      { maxLength: 30 },
    )
    .chain((parts) =>
      fc
        .array(fc.constantFrom(". ", "! ", "\n", "\n\n", " ", "。"), {
          minLength: parts.length,
          maxLength: parts.length,
        })
        .map((gaps) => parts.map((part, index) => part + gaps[index]).join("")),
    );

  it("is idempotent, and never drops the last occurrence of a word", () => {
    fc.assert(
      fc.property(repetitive, fc.constantFrom(0.5, 0.8, 1), (context, threshold) => {
        const once = compress(dedupe({ threshold }), context);
        expect(compress(dedupe({ threshold }), once)).toBe(once);
        expect(once.length).toBeLessThanOrEqual(context.length);
        if (threshold === 1)
          expect(new Set(once.toLowerCase().match(/\w+/g))).toEqual(new Set(context.toLowerCase().match(/\w+/g)));
      }),
      { numRuns: 500 },
    );
  });

  it("finds exactly the near repeats that comparing all pairs finds", () => {
    const sentence = fc
      .array(fc.constantFrom("a", "b", "c", "d"), { minLength: 3, maxLength: 9 })
      .map((list) => `X ${list.join(" ")}.`);
    const shingles = (text: string) => {
      const list = text.toLowerCase().match(/\w+/g) ?? [];
      return new Set(list.slice(2).map((_, index) => list.slice(index, index + 3).join(" ")));
    };
    const overlap = (a: Set<string>, b: Set<string>) => {
      const shared = [...a].filter((item) => b.has(item)).length;
      return shared / (a.size + b.size - shared);
    };
    fc.assert(
      fc.property(fc.array(sentence, { maxLength: 15 }), fc.constantFrom(0.3, 0.5, 0.8), (sentences, threshold) => {
        const kept: string[] = [];
        for (const one of sentences) {
          if (!kept.some((other) => other === one || overlap(shingles(one), shingles(other)) >= threshold - 1e-9))
            kept.push(one);
        }
        expect(compress(dedupe({ threshold }), sentences.join(" "))).toBe(kept.join(" "));
      }),
      { numRuns: 500 },
    );
  });
});

describe("stopwords", () => {
  it.each([
    ["The cat is on the mat.", "cat mat."],
    ["It was not the cat, and it never was.", "not cat, never."],
    ["IT staff in the US say May will come.", "IT staff US say May come."],
    ["vitamin-a, a_b and they're a1", "vitamin-a, a_b they're a1"],
    ["First line of\nthe text\n\n  indented", "First line\ntext\n\n  indented"],
    ["the", ""],
  ])("turns %j into %j", (context, expected) => {
    expect(compress(stopwords(), context)).toBe(expected);
  });

  it("keeps every number and name", () => {
    const [example] = generateNeedles({ count: 1 });
    const kept = compress(stopwords(), example?.context ?? "");
    expect(cl100k.count(kept) / cl100k.count(example?.context ?? "")).toBeLessThan(0.75);
  });
});

describe("compressorFactories", () => {
  const make = (spec: string) => {
    const [name = "", ...rest] = spec.split(":");
    const factory = compressorFactories[name];
    if (factory === undefined) throw new Error(`no factory ${name}`);
    return factory(rest.length === 0 ? undefined : rest.join(":"));
  };

  it.each([
    "passthrough",
    "truncate:0.5",
    "truncate:0.5:tail",
    "truncate:0.25:middle",
    "extract:0.3",
    "window:0.3",
    "window:0.3:80",
    "dedupe",
    "dedupe:0.9",
    "stopwords",
  ])("creates %s with that name", (spec) => {
    expect(make(spec).name).toBe(spec);
  });

  it("uses the short name for defaults", () => {
    expect(make("truncate:0.50:head").name).toBe("truncate:0.5");
    expect(make("dedupe:0.8").name).toBe("dedupe");
    expect(make("truncate:1").name).toBe("truncate:1");
  });

  it.each([
    ["truncate", /Write this compressor as truncate:0\.5 or truncate:0\.5:tail: nothing follows the name/],
    ["truncate:", /nothing follows the name/],
    ["truncate:50", /"50" is not a number above 0 and up to 1, as in truncate:0\.5.*Write shares as 0\.5, not 50/],
    ["truncate:0", /"0" is not a number above 0/],
    ["truncate:half", /"half" is not a number/],
    ["truncate:-0.5", /"-0.5" is not a number/],
    ["truncate:0.5:side", /mode "side"\. Use one of head, tail, middle/],
    ["truncate:0.5:tail:x", /":0\.5:tail:x" follows the name/],
    ["truncate::tail", /"" is not a number/],
    ["extract", /Write this compressor as extract:0\.3/],
    ["extract:0.3:x", /Write this compressor as extract:0\.3/],
    ["window:0.3:0", /"0" is not a whole number/],
    ["window:0.3:x", /"x" is not a whole number/],
    ["dedupe:2", /"2" is not a number above 0/],
    ["passthrough:1", /Write this compressor as passthrough: ":1" follows/],
    ["stopwords:1", /Write this compressor as stopwords/],
  ])("rejects %s", (spec, message) => {
    expect(() => make(spec)).toThrow(UsageError);
    expect(() => make(spec)).toThrow(message);
  });
});

describe("on the needle set", () => {
  const examples = generateNeedles();
  const quality = new AnswerQuality();
  const measure = (system: System) => {
    let survived = 0;
    let kept = 0;
    let all = 0;
    for (const example of examples) {
      const output = system.process(example, trial) as { context: string };
      survived += (quality.score(example, output) as { contains: number }).contains;
      kept += cl100k.count(output.context);
      all += cl100k.count(example.context);
    }
    return { survived: survived / examples.length, kept: kept / all };
  };

  it("keeps what each family promises", () => {
    expect(measure(passthrough())).toEqual({ survived: 1, kept: 1 });
    const head = measure(truncate({ share: 0.5 }));
    expect(head.kept).toBeCloseTo(0.5, 2);
    expect(Math.abs(head.survived - 0.5)).toBeLessThan(0.12);
    const extracted = measure(extract({ share: 0.1 }));
    expect(extracted.kept).toBeLessThanOrEqual(0.1);
    // Good, because it uses the question; not perfect, because half of the questions use other words.
    expect(extracted.survived).toBeGreaterThan(0.85);
    expect(measure(extract({ share: 0.05 })).survived).toBeLessThan(0.95);
    const deduped = measure(dedupe());
    expect(deduped.survived).toBe(1);
    expect(deduped.kept).toBeLessThan(0.9);
  });
});
