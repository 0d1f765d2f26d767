import { describe, expect, it } from "vitest";
import { replaceControlCharacters } from "./format.js";
import { renderMarkdownTable, toOneLine } from "./markdown.js";

describe("replaceControlCharacters", () => {
  it.each([
    ["a cleared screen", "\u001b[2Jgone", "\ufffd[2Jgone"],
    ["a window's title", "\u001b]0;title\u0007", "\ufffd]0;title\ufffd"],
    ["C1 controls", "\u009b31mred", "\ufffd31mred"],
    ["text written over", "a\rb\u0008c\u007fd\u0000", "a\ufffdb\ufffdc\ufffdd\ufffd"],
    ["text turned around", "\u202egnp.exe\u202c \u2066x\u2069", "\ufffdgnp.exe\ufffd \ufffdx\ufffd"],
  ])("leaves no %s", (_, text, shown) => {
    expect(replaceControlCharacters(text)).toBe(shown);
  });

  it.each(["line one\n\tline two", "héllo 日本語 👩‍👩‍👧 مرحبا שלום ❯ – ∞"])("leaves text alone: %s", (text) => {
    expect(replaceControlCharacters(text)).toBe(text);
  });

  it("keeps CRLF line ends as line ends", () => {
    expect(replaceControlCharacters("a\r\nb")).toBe("a\nb");
  });
});

describe("Markdown", () => {
  it("shows names on one line and without control characters", () => {
    expect(toOneLine("a\r\n\tb\u001b[1m\u2028c")).toBe("a b\ufffd[1m c");
    const table = renderMarkdownTable([{ title: "na\u001bme", cell: (name: string) => name }], ["x\u001b[2J|\ny"]);
    expect(table).toBe("| na\ufffdme     |\n| --------- |\n| x\ufffd[2J\\| y |");
  });
});
