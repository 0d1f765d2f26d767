import { describe, expect, test } from "vitest";
import { hasMarkdown, parseMarkdown, parseSpans, stripMarkdown } from "./markdown.js";
import { readChat, readRichContent } from "./rich-text.js";

test("stripMarkdown reads as the text is drawn, and leaves other texts as they are", () => {
  expect(stripMarkdown("# A\n**1731**\n\n- *from* `then` on\n  - b\n\n2. c\n\n| x | y |\n|---|---|\n| 1 | 2 |")).toBe(
    "A\n1731\n• from then on\n• b\n2. c\nx · y\n1 · 2",
  );
  for (const text of ["a * b * c", "snake_case_name", '[{"a": "**b**"}]', "plain\n\ntext", "**cut …"])
    expect(stripMarkdown(text)).toBe(text);
});

describe("parseMarkdown", () => {
  test("reads headings, paragraphs, code, quotes and rules", () => {
    expect(parseMarkdown("# A #\ntext\nmore\n\n```js\nlet a;\n  b\n```\n> said\n\n---")).toEqual([
      { kind: "heading", level: 1, text: "A" },
      { kind: "paragraph", text: "text\nmore" },
      { kind: "code", language: "js", text: "let a;\n  b" },
      { kind: "quote", blocks: [{ kind: "paragraph", text: "said" }] },
      { kind: "rule" },
    ]);
  });

  test("reads lists in lists, with code inside of an item", () => {
    expect(parseMarkdown("3. one\n   - a\n   - b\n4. two\n   ```\n   x\n   ```")).toEqual([
      {
        kind: "list",
        isOrdered: true,
        start: 3,
        items: [
          {
            text: "one",
            blocks: [
              {
                kind: "list",
                isOrdered: false,
                start: 1,
                items: [
                  { text: "a", blocks: [] },
                  { text: "b", blocks: [] },
                ],
              },
            ],
          },
          { text: "two", blocks: [{ kind: "code", language: "", text: "x" }] },
        ],
      },
    ]);
  });

  test("reads tables with escaped pipes", () => {
    expect(parseMarkdown("| a | b |\n|---|:-:|\n| 1 | x\\|y |")).toEqual([
      { kind: "table", head: ["a", "b"], rows: [["1", "x|y"]] },
    ]);
  });

  test("keeps the text of code that is never closed, and of HTML", () => {
    expect(parseMarkdown("```\na")).toEqual([{ kind: "code", language: "", text: "a" }]);
    expect(parseMarkdown("<b>x</b>")).toEqual([{ kind: "paragraph", text: "<b>x</b>" }]);
  });
});

describe("parseSpans", () => {
  test("reads bold, italics, code, links and images", () => {
    expect(parseSpans("a **b *c*** `d` [e](http://x) ![f](y) snake_case_name \\*")).toEqual([
      { kind: "text", text: "a " },
      {
        kind: "strong",
        spans: [
          { kind: "text", text: "b " },
          { kind: "em", spans: [{ kind: "text", text: "c" }] },
        ],
      },
      { kind: "text", text: " " },
      { kind: "code", text: "d" },
      { kind: "text", text: " " },
      { kind: "link", text: "e", address: "http://x" },
      { kind: "text", text: " " },
      { kind: "image", text: "f", address: "y" },
      { kind: "text", text: " snake_case_name *" },
    ]);
  });

  test("leaves single marks as they are", () => {
    expect(parseSpans("2 * 3 * 4 ` x")).toEqual([{ kind: "text", text: "2 * 3 * 4 ` x" }]);
  });
});

test.each([
  ["open marks", "*a "],
  ["brackets", "[x](["],
  ["quotes", "> "],
  ["lists", "- "],
  ["code marks", "` `` ``` "],
  ["nested quotes", ">"],
  ["table cells", "|-"],
])("takes linear time on many %s", (_name, piece) => {
  const text = piece.repeat(20_000);
  const started = performance.now();
  for (const block of parseMarkdown(text)) if (block.kind === "paragraph") parseSpans(block.text);
  parseSpans(text);
  expect(performance.now() - started).toBeLessThan(2000);
});

test("plain text is not taken for Markdown", () => {
  expect(hasMarkdown("It is Paris.\nNothing - else * here.")).toBe(false);
  expect(hasMarkdown("Use `x`")).toBe(true);
  expect(hasMarkdown("a\n- b")).toBe(true);
});

describe("readRichContent", () => {
  test("reads messages with text and parts", () => {
    const chat = JSON.stringify([
      { role: "user", content: [{ type: "text", text: "Hi" }] },
      { role: "assistant", content: "**Ho**" },
    ]);
    expect(readRichContent(chat)).toEqual({
      kind: "chat",
      messages: [
        { role: "user", text: "Hi" },
        { role: "assistant", text: "**Ho**" },
      ],
    });
    expect(readChat(`{"messages":${chat}}`)).toHaveLength(2);
  });

  test("leaves other JSON and plain text raw", () => {
    expect(readRichContent('{"role":"x"}')).toBeNull();
    expect(readRichContent('[{"role":"x"')).toBeNull();
    expect(readRichContent("Paris")).toBeNull();
  });
});
