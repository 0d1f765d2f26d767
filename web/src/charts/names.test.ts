import { expect, test } from "vitest";
import { formatName, formatNameList, shortenSystemNames, truncateName } from "./names.js";

test("removes control characters from a name", () => {
  expect(formatName("\u001b[2Ja\u202eb\nc")).toBe("\ufffd[2Ja\ufffdb c");
  expect(formatName(" \n")).toBe("(no name)");
  expect(formatName("<script>")).toBe("<script>");
});

test("truncates a name between letters", () => {
  expect(truncateName("short", 100)).toBe("short");
  expect(truncateName("🦊🦊🦊🦊🦊🦊", 21)).toBe("🦊🦊…");
  expect(truncateName("anything", 0)).toBe("a…");
});

test("joins names as a sentence", () => {
  expect(formatNameList([])).toBe("");
  expect(formatNameList(["a"])).toBe("a");
  expect(formatNameList(["a", "b"])).toBe("a and b");
  expect(formatNameList(["a", "b", "c"])).toBe("a, b and c");
  expect(formatNameList(["a", "b", "c", "d"])).toBe("a, b and 2 more");
});

test("labels systems without what all names share", () => {
  const label = (...names: string[]) => names.map(shortenSystemNames(names));
  expect(label("swift [pi, agent]", "atlas [codex, agent]")).toEqual(["swift · pi", "atlas · codex"]);
  expect(label("openai/gpt-5", "openai/gpt-4")).toEqual(["gpt-5", "gpt-4"]);
  expect(label("a [x]", "b [x]")).toEqual(["a", "b"]);
  expect(label("a [x]")).toEqual(["a · x"]);
  expect(label("a/b", "c")).toEqual(["a/b", "c"]);
  expect(label("a [x]", "a · x")).toEqual(["a [x]", "a · x"]);
});
