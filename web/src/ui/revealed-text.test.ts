import fc from "fast-check";
import { expect, test } from "vitest";
import { joinLines, revealLine, revealParts, revealText } from "./revealed-text.js";

test("reveals terminal escapes", () => {
  expect(revealText("\u001b[2J\u001b[31mred\u0007")).toBe("⟨ESC⟩[2J⟨ESC⟩[31mred⟨BEL⟩");
  expect(revealText("\u0000\u007f\u009b")).toBe("⟨NUL⟩⟨DEL⟩⟨U+009B⟩");
});

test("reveals characters that change the reading order", () => {
  expect(revealText("a\u202egpj.exe\u202c")).toBe("a⟨U+202E⟩gpj.exe⟨U+202C⟩");
  expect(revealText("\u2066x\u2069\u200f\u061c")).toBe("⟨U+2066⟩x⟨U+2069⟩⟨U+200F⟩⟨U+061C⟩");
});

test("reveals characters without width, also tags that hide sentences", () => {
  expect(revealText("pass\u200bword\ufeff\u00ad")).toBe("pass⟨U+200B⟩word⟨U+FEFF⟩⟨U+00AD⟩");
  expect(revealText("pass\u200dword")).toBe("pass⟨U+200D⟩word");
  expect(revealText("\u{e0048}\u{e0069}")).toBe("⟨U+E0048⟩⟨U+E0069⟩");
  expect(revealText("half \ud83d pair")).toBe("half ⟨U+D83D⟩ pair");
});

test("keeps both kinds of line ends, and reveals a lone return", () => {
  expect(revealText("a\r\nb\n\tc\rd")).toBe("a\nb\n\tc⟨CR⟩d");
  expect(revealLine("a\nb\tc")).toBe("a⟨LF⟩b⟨TAB⟩c");
});

test("leaves ordinary texts of all languages alone", () => {
  for (const text of ["naïve <b>&amp;</b>", "שלום", "می‌خواهم", "👩‍👩‍👧 ❤️", "日本語", "क्‍ष"])
    expect(revealText(text)).toBe(text);
});

test("leaves nothing hidden in any text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(revealText(text).replace(/[\t\n]/g, "")).not.toMatch(/\p{Cc}|\p{Cs}|[\u202a-\u202e\u2066-\u2069]/u);
    }),
  );
});

test("separates marks from text", () => {
  expect(revealParts("a\u001b\u202e[b\r\n\u200d")).toEqual([
    { text: "a", isMark: false },
    { text: "⟨ESC⟩⟨U+202E⟩", isMark: true },
    { text: "[b\n\u200d", isMark: false },
  ]);
  expect(revealParts("⟨ESC⟩")).toEqual([{ text: "⟨ESC⟩", isMark: false }]);
  expect(revealParts("")).toEqual([]);
});

test("the parts add up to the revealed text", () => {
  const odd = fc.constantFrom("\u001b", "\u200d", "\ud83d", "\udc00", "\r\n", "\r", "x", "é", "\u202e");
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: "binary" }), fc.string({ unit: odd })), (text) => {
      const together = revealParts(text).map((part) => part.text);
      expect(together.join("")).toBe(revealText(text));
    }),
  );
});

test("revealing twice changes nothing", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      expect(revealText(revealText(text))).toBe(revealText(text));
    }),
  );
});

test("writes an excerpt on one line", () => {
  expect(joinLines(" **1620**\n\n- The roll\r\n\tnames it ")).toBe("**1620** - The roll names it");
});
