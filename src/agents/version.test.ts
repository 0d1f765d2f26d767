import { expect, it } from "vitest";
import { requireAdapter } from "./adapters/index.js";
import { describeOldVersion, isOlderVersion, requireVersion } from "./version.js";

it.each([
  ["1.0.72", "2.0.67", true],
  ["2.0.67", "2.0.67", false],
  ["2.0.9", "2.0.67", true],
  ["2.1", "2.0.67", false],
  ["2", "2.0.1", true],
  ["v1.18.0-beta.4+build", "1.18.0", false],
])("tells whether %s is older than %s", (version, least, isOlder) => {
  expect(isOlderVersion(version, least)).toBe(isOlder);
});

it("rejects an old version, and says which one works and how to get it", () => {
  const claude = requireAdapter("claude");
  expect(() => requireVersion(claude, "1.0.72")).toThrow(
    "claude 1.0.72 is too old: version 2.0.67 is the first that works. Update it with: npm install -g @anthropic-ai/claude-code",
  );
  expect(() => requireVersion(claude, "2.0.67")).not.toThrow();
});

it("accepts a version that is not known, and an agent of which no least version is known", () => {
  expect(describeOldVersion(requireAdapter("claude"), null)).toBeNull();
  expect(describeOldVersion(requireAdapter("aider"), "0.0.1")).toBeNull();
});
