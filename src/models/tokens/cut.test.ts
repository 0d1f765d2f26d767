import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { loadTokenizer, type TokenizerName } from "./index.js";
import { CharacterClasses } from "./scan.js";
import { readTokenTable } from "./table.js";
import { splitText } from "./tokenizer.js";

const NAMES: TokenizerName[] = ["cl100k_base", "o200k_base"];

/** What the patterns react to: contractions, capitals, marks, digits, blanks of all kinds, line ends, slashes. */
const parts = fc.constantFrom(
  ..."aZéЖ字कमßǅʰ1٣½ \t\n\r/'’.!-_\u00a0\u0085\u3000\u0301\u093e\u093f\u200d😀𝒜\ud83d\udc00".split(/(?:)/u),
  ..."'s 'S 'll 'LL 've 'd 'ſ   \n\n \n \r\n //  ABC abc Ab 123 1234 ... \n/ ='s".split(" "),
  "  ",
  "\n ",
  " \n",
);
const texts = fc.array(parts, { minLength: 1, maxLength: 60, size: "max" }).map((all) => all.join(""));

describe.each(NAMES)("splitText with %s", (name) => {
  const tokenizer = loadTokenizer(name);
  const classes = new CharacterClasses(readTokenTable(name));

  it("loses no character, and the tokens of the pieces add up", () => {
    const sizes = fc.integer({ min: 1, max: 12 });
    let cuts = 0;
    fc.assert(
      fc.property(texts, sizes, (text, piece) => {
        const pieces = [...splitText(text, classes, { piece, longest: text.length + 1 })];
        cuts += pieces.length - 1;
        expect(pieces.join("")).toBe(text);
        expect(pieces.reduce((sum, each) => sum + tokenizer.count(each), 0)).toBe(tokenizer.count(text));
      }),
      { seed: 1, numRuns: 5000 },
    );
    expect(cuts).toBeGreaterThan(10_000);
  });

  it("makes pieces of the requested size", () => {
    const text = "The quick brown fox, aged 12, jumps. 彼は「はい」と言った。\n".repeat(100);
    const lengths = [...splitText(text, classes, { piece: 64, longest: 1000 })].map(({ length }) => length);
    expect(Math.max(...lengths)).toBeLessThanOrEqual(64);
    expect(lengths.length).toBeLessThan(text.length / 48);
  });

  it("splits an endless word anywhere but inside a character", () => {
    const pieces = [...splitText("𝒜".repeat(50), classes, { piece: 8, longest: 15 })];
    expect(pieces.join("")).toBe("𝒜".repeat(50));
    expect(pieces.every((piece) => /^𝒜+$/u.test(piece))).toBe(true);
    expect(pieces.map(({ length }) => length)).toEqual([14, 14, 14, 14, 14, 14, 14, 2]);
  });

  it("counts a long text as the sum of its pieces", () => {
    const line = "It's 1234 o'clock: DON'T wait — naïveté, über 20 %, 東京/大阪…\r\n\t";
    const text = line.repeat(3000);
    const counts = [...(tokenizer.countPieces?.(text) ?? [])];
    expect(counts.length).toBeGreaterThan(1);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(tokenizer.count(text));
    // No token spans two lines.
    expect(tokenizer.count(text) - tokenizer.count(line)).toBe(
      2999 * (tokenizer.count(line + line) - tokenizer.count(line)),
    );
  });
});
