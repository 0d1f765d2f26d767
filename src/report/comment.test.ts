import { describe, expect, it } from "vitest";
import { escapeMarkdown } from "./comment.js";

describe("escapeMarkdown", () => {
  it.each([
    ["@octocat", "@\u200boctocat"],
    ["see #12, GH-3", "see #\u200b12, GH-\u200b3"],
    ["_www.example.com", "_www.\u200bexample.com"],
    ["https://example.com", "https:\u200b//example.com"],
    ["![x](y) <b> `c` a|b", "![x&#93;(y) &lt;b&gt; &#96;c&#96; a&#124;b"],
    ["one\n# two", "one # two"],
    ["costs $5", "costs $5"],
  ])("makes text of %j", (text, escaped) => {
    expect(escapeMarkdown(text)).toBe(escaped);
  });
});
