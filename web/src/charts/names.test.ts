import { expect, test } from "vitest";
import { formatName, formatNameList, truncateName } from "./names.js";

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
