import { expect, test } from "vitest";
import { fitted, listed, shown } from "./names.js";

test("a name shows and steers nothing", () => {
  expect(shown("\u001b[2Ja\u202eb\nc")).toBe("\ufffd[2Ja\ufffdb c");
  expect(shown(" \n")).toBe("(no name)");
  expect(shown("<script>")).toBe("<script>");
});

test("names are cut by letters, not in the middle of one", () => {
  expect(fitted("short", 100)).toBe("short");
  expect(fitted("🦊🦊🦊🦊🦊🦊", 21)).toBe("🦊🦊…");
  expect(fitted("anything", 0)).toBe("a…");
});

test("lists of names read as a sentence", () => {
  expect(listed([])).toBe("");
  expect(listed(["a"])).toBe("a");
  expect(listed(["a", "b"])).toBe("a and b");
  expect(listed(["a", "b", "c"])).toBe("a, b and c");
  expect(listed(["a", "b", "c", "d"])).toBe("a, b and 2 more");
});
