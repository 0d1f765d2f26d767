import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { joinSentences, splitSentences } from "./sentences.js";

const split = (text: string) => splitSentences(text).map(({ start, end }) => text.slice(start, end));

describe("splitSentences", () => {
  it.each([
    ["full stops, questions and calls", "One. Two? Three! Four", ["One.", "Two?", "Three!", "Four"]],
    [
      "abbreviations and titles",
      "Dr. Ito met Mrs. Bell, e.g. at noon. They left.",
      ["Dr. Ito met Mrs. Bell, e.g. at noon.", "They left."],
    ],
    ["initials and countries", "J. K. Rowling left the U.S. Army. Why?", ["J. K. Rowling left the U.S. Army.", "Why?"]],
    [
      "decimals, versions and addresses",
      "Pi is 3.14. See v1.2.3 at a.example.com. Done.",
      ["Pi is 3.14.", "See v1.2.3 at a.example.com.", "Done."],
    ],
    [
      "numbers after an abbreviation",
      "See No. 5 and fig. 2. He said no. Then he left.",
      ["See No. 5 and fig. 2.", "He said no.", "Then he left."],
    ],
    [
      "closing quotes and brackets",
      'He said "Go." (She went.) “Fine.” End.',
      ['He said "Go."', "(She went.)", "“Fine.”", "End."],
    ],
    [
      "a lower-case word after a stop",
      "They sold apples, pears etc. and left. Bye.",
      ["They sold apples, pears etc. and left.", "Bye."],
    ],
    ["dots in a row", "Well... Maybe. Who knows?!", ["Well...", "Maybe.", "Who knows?!"]],
    [
      "lines that wrap",
      "The cat sat on\nthe mat. It slept,\nAnd dreamt.",
      ["The cat sat on\nthe mat.", "It slept,\nAnd dreamt."],
    ],
    ["headings and list items", "Title\n- First item\n- Second item", ["Title", "- First item", "- Second item"]],
    ["blank lines, whatever follows", "no stop here\n\nlower case", ["no stop here", "lower case"]],
    ["wide full stops", "今天好。明天？好！", ["今天好。", "明天？", "好！"]],
    ["CRLF", "One\r\n\r\ntwo\r\nThree", ["One", "two", "Three"]],
    ["white space around", "  \n One.  \n", ["One."]],
    ["nothing", " \n ", []],
    ["nothing but stops", "...", ["..."]],
  ])("handles %s", (_, text, sentences) => {
    expect(split(text)).toEqual(sentences);
  });

  const texts = fc
    .array(
      fc.constantFrom(
        "One",
        "two",
        "Dr",
        "J",
        "3",
        ".",
        "?",
        "。",
        '"',
        ")",
        ",",
        " ",
        "  ",
        "\n",
        "\n\n",
        "\r\n",
        "-",
        "😀",
      ),
    )
    .map((parts) => parts.join(""));

  it("covers everything except white space, in order", () => {
    fc.assert(
      fc.property(texts, (text) => {
        const sentences = splitSentences(text);
        let at = 0;
        for (const { start, end } of sentences) {
          expect(text.slice(at, start).trim()).toBe("");
          expect(text.slice(start, end)).toBe(text.slice(start, end).trim());
          expect(end).toBeGreaterThan(start);
          at = end;
        }
        expect(text.slice(at).trim()).toBe("");
      }),
      { numRuns: 1000 },
    );
  });

  it("keeps sentences separate when the one between them is dropped", () => {
    const text = "。One。)?";
    expect(joinSentences(text, splitSentences(text), (index) => index !== 1)).toBe("。 ?");
  });

  it("finds the same sentences again in any joined selection", () => {
    fc.assert(
      fc.property(texts, fc.infiniteStream(fc.boolean()), (text, choices) => {
        const sentences = splitSentences(text);
        const kept = new Set([...sentences.keys()].filter(() => choices.next().value));
        const joined = joinSentences(text, sentences, (index) => kept.has(index));
        expect(split(joined)).toEqual(split(text).filter((_, index) => kept.has(index)));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([")", ".", " ", "\n", ".)", "a. ", "a ", "A. "])("is linear for a run of %j", (run) => {
    const text = `x${run.repeat(400_000)}x`;
    // A quadratic algorithm would exceed the test's time limit.
    expect(joinSentences(text, splitSentences(text), () => true).length).toBeGreaterThan(0);
  });
});
