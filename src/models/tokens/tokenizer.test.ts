import { existsSync, readdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import fc from "fast-check";
import { countTokens as cl100kOracle } from "gpt-tokenizer/encoding/cl100k_base";
import { countTokens as o200kOracle } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { UsageError } from "../../core/errors.js";
import { loadTokenizer, type TokenizerName } from "./index.js";
import { CharacterClasses, createCl100kScanner, createO200kScanner, type PreTokenScanner } from "./scan.js";
import { readTokenTable } from "./table.js";
import { Utf8Scratch } from "./tokenizer.js";

// gpt-tokenizer deviates from the official patterns in three ways, so texts with these characters are checked only
// against the reference below: U+017F (its contractions list ASCII letters, where tiktoken folds case and takes 'ſ as 's),
// U+0085 and U+FEFF (JavaScript's \s is not White_Space). It also decodes tokens with a TextDecoder that drops a
// leading U+FEFF, and so takes the rank of "using" for that of "\uFEFFusing".
const NOT_AS_TIKTOKEN = /[\u017f\u0085\ufeff]/;

// tiktoken 0.12, with \s and case folding spelled out.
const S = String.raw`\p{White_Space}`;
const CONTRACTION = "'(?:[sSſdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])";
const UPPER = String.raw`[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`;
const LOWER = String.raw`[\p{Ll}\p{Lm}\p{Lo}\p{M}]`;
const PREFIX = String.raw`[^\r\n\p{L}\p{N}]?`;
const PATTERNS = {
  cl100k_base: String.raw`${CONTRACTION}|${PREFIX}\p{L}+|\p{N}{1,3}| ?[^${S}\p{L}\p{N}]+[\r\n]*|${S}+$|${S}*[\r\n]|${S}+(?![^${S}])|${S}`,
  o200k_base: String.raw`${PREFIX}${UPPER}*${LOWER}+(?:${CONTRACTION})?|${PREFIX}${UPPER}+${LOWER}*(?:${CONTRACTION})?|\p{N}{1,3}| ?[^${S}\p{L}\p{N}]+[\r\n/]*|${S}*[\r\n]+|${S}+(?![^${S}])|${S}+`,
};
const ORACLES = { cl100k_base: cl100kOracle, o200k_base: o200kOracle };
const SCANS = { cl100k_base: createCl100kScanner, o200k_base: createO200kScanner };
const NAMES: TokenizerName[] = ["cl100k_base", "o200k_base"];

/** Plain byte pair encoding from the official ranks and pattern: the reference where gpt-tokenizer deviates. */
function reference(name: TokenizerName) {
  const file = createRequire(import.meta.url).resolve(`gpt-tokenizer/data/${name}.tiktoken`);
  const lines = readFileSync(file, "latin1").trimEnd().split("\n");
  const ranks = new Map(
    lines.map((line, rank) => [Buffer.from(line.split(" ")[0] ?? "", "base64").toString("latin1"), rank]),
  );
  const rankOf = (parts: string[], i: number) => ranks.get(`${parts[i]}${parts[i + 1]}`) ?? Number.POSITIVE_INFINITY;
  const countPiece = (piece: string): number => {
    const bytes = Buffer.from(piece).toString("latin1");
    if (ranks.has(bytes)) return 1;
    const parts = Array.from(bytes);
    for (;;) {
      let lowest = 0;
      for (let i = 1; i < parts.length - 1; i++) if (rankOf(parts, i) < rankOf(parts, lowest)) lowest = i;
      if (parts.length < 2 || rankOf(parts, lowest) === Number.POSITIVE_INFINITY) return parts.length;
      parts.splice(lowest, 2, `${parts[lowest]}${parts[lowest + 1]}`);
    }
  };
  return (text: string) => officialPieces(name, text).reduce((sum, piece) => sum + countPiece(piece), 0);
}

function officialPieces(name: TokenizerName, text: string): string[] {
  const wellFormed = Buffer.from(text).toString();
  return wellFormed.match(new RegExp(PATTERNS[name], "gu")) ?? [];
}

function scannedPieces(scan: PreTokenScanner, text: string): string[] {
  const { bytes, length } = new Utf8Scratch().encode(text);
  const pieces: string[] = [];
  for (let start = 0; start < length; ) {
    const end = scan(bytes, start);
    pieces.push(Buffer.from(bytes.subarray(start, end)).toString());
    start = end;
  }
  return pieces;
}

function oracle(name: TokenizerName, text: string): number {
  return ORACLES[name](text, { disallowedSpecial: new Set<string>() });
}

/** Planes without any letter, number, mark or space: one block of each is enough. */
function isUnassigned(plane: number): boolean {
  return plane > 3 && plane !== 14;
}

const FRAGMENTS = [
  ...Array.from("aZsStTlLéÅß\u017f\u212a\u01c5ʰªابअ中ひ한\u0301\u0903\u20e3\u200d\ufe0f'’`./-_#{}\"\\<|>0123½²٣Ⅷ"),
  ...Array.from(" \t\r\n\u00a0\u3000\u0085\u2028\ufeff\u200b\0\u007f\ufffd"),
  ..."👩‍👩‍👧‍👦¦🏳️‍🌈¦😀¦👍🏽¦𝒜¦𝒷¦𐐀¦𐐨¦𠀀¦𝟘¦🄀¦e\u0301¦\u0301A¦中A¦Ab中¦<|endoftext|>".split("¦"),
  ..."'s¦'S¦'\u017f¦'ll¦'LL¦'lL¦'ve¦'Re¦’s¦'d¦'m¦'T¦don't¦DON'T¦\r\n¦   ¦\n\n".split("¦"),
  ..."hello¦ world¦Hello¦HELLO¦camelCase¦XMLHttpRequest¦12345¦://¦/\n/¦ {\n¦naïve¦Straße".split("¦"),
];
const mixed = fc.array(fc.constantFrom(...FRAGMENTS), { maxLength: 40 }).map((parts) => parts.join(""));
const anyUnicode = fc.string({ unit: "binary", maxLength: 60 });
const anyCodeUnits = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)) });
const graphemes = fc.string({ unit: "grapheme", maxLength: 60 });
const latin1 = fc.string({
  unit: fc.integer({ min: 0, max: 255 }).map((unit) => String.fromCharCode(unit)),
  maxLength: 80,
});
const anyText = fc.oneof(mixed, mixed, anyUnicode, anyCodeUnits, graphemes, latin1);
// A pre-token of some hundred bytes from few letters: many equal ranks, on both sides of the switch to the tree.
const longWord = fc.oneof(
  fc.string({ unit: fc.constantFrom(...Array.from("ab")), maxLength: 200 }),
  fc.string({ unit: fc.constantFrom(...Array.from("etaoinshr")), minLength: 50, maxLength: 200 }),
  fc.string({ unit: fc.constantFrom(...Array.from("的一是不了人")), minLength: 15, maxLength: 100 }),
  fc.string({ unit: fc.constantFrom(...Array.from(" \t")), maxLength: 300 }),
  fc.string({ unit: fc.constantFrom(...Array.from("\r\n")), maxLength: 200 }),
  fc.string({ unit: fc.constantFrom(...Array.from("=-*#")), maxLength: 200 }),
);

const MULTILINGUAL = [
  "The quick brown fox doesn't jump; it's over the lazy dog's 1,234,567 bones -- isn't it? WE'LL SEE, THEY'RE HERE.",
  "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich. Überraschung! Straßenbahnhaltestelle.",
  "Le cœur déçu mais l'âme plutôt naïve, Louÿs rêva de crapaüter en canoë. Aujourd'hui, j'ai mangé.",
  "Съешь же ещё этих мягких французских булок, да выпей чаю. ОТЛИЧНО!",
  "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία. Τάχιστη αλώπηξ βαφής ψημένη γη.",
  "我能吞下玻璃而不伤身体。今天是2024年3月15日，天气很好！",
  "いろはにほへと ちりぬるを。カタカナとひらがなと漢字が混ざった文章です。",
  "키스의 고유조건은 입술끼리 만나야 하고 특별한 기술은 필요치 않다.",
  "نص حكيم له سر قاطع وذو شأن عظيم مكتوب على ثوب أخضر ومغلف بجلد أزرق ١٢٣٤٥",
  "דג סקרן שט בים מאוכזב ולפתע מצא חברה. שָׁלוֹם עֲלֵיכֶם",
  "ऋषियों को सताने वाले दुष्ट राक्षसों के राजा रावण का सर्वनाश करने वाले विष्णुवतार भगवान श्रीराम १२३",
  "เป็นมนุษย์สุดประเสริฐเลิศคุณค่า กว่าบรรดาฝูงสัตว์เดรัจฉาน",
  "Tôi có thể ăn thủy tinh mà không hại gì. Do bạch kim rất quý nên sẽ dùng để lắp vô xương.",
  "👩‍👩‍👧‍👦 family, 🏳️‍🌈 flag, 👍🏽 thumbs, 🇩🇪🇯🇵 countries, 1️⃣ keycap, ☃️ 𝒽𝑒𝓁𝓁𝑜 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐐔𐐯𐑅𐐨𐑉𐐯𐐻",
  'def f(x):\r\n\tif x >= 10**3:  # \u00a0odd\r\n\t\treturn f"{x!r}\\n"\r\n\r\n\r\n    \treturn None   \n   ',
  "<|endoftext|><|im_start|>user\nhi<|im_end|>\n<|fim_prefix|>",
];
const PATHOLOGICAL = [
  ..."a \n0.=é中😀".split(/(?:)/u).flatMap((unit) => [63, 64, 65, 66, 127, 128, 129, 500].map((n) => unit.repeat(n))),
  "a".repeat(2000),
  " ".repeat(2000),
  `${" ".repeat(700)}x${"\n".repeat(700)} y`,
  "\r\n".repeat(300),
  "ab".repeat(600),
  "'s".repeat(300),
  "A中".repeat(200),
  `\u0301${"A".repeat(300)}`,
  "人工智能的发展正在改变世界".repeat(30),
];

const NOT_AS_ORACLE = ["'ſabc", "it'ſ fine", "\ufeff{", "\ufeffusing System;", "a\u0085b", "\u0085\u0085x"];

describe.each(NAMES)("%s", (name) => {
  const tokenizer = loadTokenizer(name);
  const scan = SCANS[name](new CharacterClasses(readTokenTable(name)));
  const officialCount = reference(name);
  const check = (text: string) => {
    const count = tokenizer.count(text);
    expect(count).toBe(officialCount(text));
    if (!NOT_AS_TIKTOKEN.test(text)) expect(count).toBe(oracle(name, text));
  };

  it("splits any text like the official pattern", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(scannedPieces(scan, text)).toEqual(officialPieces(name, text));
      }),
      { numRuns: 2000, seed: 1 },
    );
  });

  it("splits the samples like the official pattern", () => {
    for (const text of [
      ...MULTILINGUAL,
      ...PATHOLOGICAL,
      ...NOT_AS_ORACLE,
      "\u0301ABC d",
      "中ABC's",
      "Ab\u0301C'S 's",
    ]) {
      expect(scannedPieces(scan, text)).toEqual(officialPieces(name, text));
    }
  });

  it("classifies every code point", () => {
    const wrong: string[] = [];
    for (let block = 0; block < 0x110000; block += 0x800) {
      if (block === 0xd800 || (isUnassigned(block >> 16) && (block & 0xffff) > 0)) continue;
      let text = "";
      for (let point = block; point < block + 0x800; point++) {
        const character = String.fromCodePoint(point);
        text += `a${character}A ${character}${character}b\n`;
      }
      if (scannedPieces(scan, text).join("\u{10ffff}|") !== officialPieces(name, text).join("\u{10ffff}|")) {
        wrong.push(block.toString(16));
      }
    }
    expect(wrong).toEqual([]);
  });

  it("counts any text like tiktoken", () => {
    fc.assert(fc.property(anyText, check), { numRuns: 2000, seed: 1 });
  });

  it("merges long pre-tokens in the right order", () => {
    fc.assert(fc.property(longWord, check), { numRuns: 150, seed: 1 });
  });

  it.each(MULTILINGUAL)("counts %j", check);

  it("counts pathological texts", () => {
    for (const text of PATHOLOGICAL) check(text);
  });

  it("counts the sources of this folder, whole and line by line", () => {
    const here = new URL("./", import.meta.url);
    for (const file of readdirSync(here)) {
      const text = readFileSync(new URL(file, here), "utf8");
      check(text);
      for (const line of text.split("\n")) check(line);
    }
  });

  it("follows tiktoken where gpt-tokenizer deviates", () => {
    for (const text of ["'ſabc", "it'ſ fine", "\ufeff{", "\ufeffusing System;", "a\u0085b", "\u0085\u0085x"])
      check(text);
  });

  it("counts a lone surrogate as U+FFFD", () => {
    for (const text of ["\ud83d", "a\udc00b", " \ud83d\ud83d", "\udc00\ud83d"]) {
      expect(tokenizer.count(text)).toBe(tokenizer.count(text.replace(/[\ud800-\udfff]/g, "\ufffd")));
      check(text);
    }
  });

  it("counts the same text the same after any other", () => {
    const counts = MULTILINGUAL.map((text) => tokenizer.count(text));
    tokenizer.count(PATHOLOGICAL.join(" x "));
    expect(MULTILINGUAL.map((text) => tokenizer.count(text))).toEqual(counts);
  });

  it("counts texts longer than its buffer, to the last character", () => {
    const line = "Natalia sold clips to 48 of her friends, 中文.\n";
    const once = tokenizer.count(line);
    for (const times of [465, 466, 2000]) expect(tokenizer.count(line.repeat(times))).toBe(times * once);
  });
});

describe("loadTokenizer", () => {
  it("reads a table once", () => {
    expect(loadTokenizer("cl100k_base")).toBe(loadTokenizer("cl100k_base"));
    expect(loadTokenizer("o200k_base").name).toBe("o200k_base");
  });

  it.each(["gpt2", "toString", ""])("lists the choices for %j", (name) => {
    const load = () => loadTokenizer(name as TokenizerName);
    expect(load).toThrow(UsageError);
    expect(load).toThrow("cl100k_base, o200k_base");
  });

  it("matches the shared cases", () => {
    const file = new URL("../../../../shared/cases/metrics.json", import.meta.url);
    if (!existsSync(file)) return console.log(`tokens: ${file.pathname} is absent, its cases were not run`);
    const cases: { area: string; input: { text: string }; expected: number }[] = JSON.parse(readFileSync(file, "utf8"));
    const tokenCases = cases.filter(({ area }) => area.startsWith("tokens."));
    expect(tokenCases).not.toHaveLength(0);
    for (const { area, input, expected } of tokenCases) {
      expect(loadTokenizer(area.slice("tokens.".length) as TokenizerName).count(input.text)).toBe(expected);
    }
  });
});
