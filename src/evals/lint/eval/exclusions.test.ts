import { describe, expect, it } from "vitest";
import type { GraderSpec } from "../../../core/grader.js";
import { explainExclusion } from "./linted-stimulus.js";

const spec = (type: string, config: Record<string, unknown> = {}): GraderSpec => ({ type, config });

const EXCLUSIVE: readonly [GraderSpec, GraderSpec][] = [
  [spec("file-exists", { path: "a/b.js" }), spec("file-not-exists", { path: "a/**" })],
  [spec("file-contains", { path: "a.js", value: "x" }), spec("file-not-exists", { path: "a.js" })],
  [spec("output-contains", { substring: "All Done" }), spec("output-not-contains", { substring: "done" })],
  [spec("output-contains", { substring: "done" }), spec("transcript-not-contains", { substring: "done" })],
  [spec("file-contains", { path: "a.js", value: "xy" }), spec("file-not-contains", { path: "*.js", value: "x" })],
  [spec("output-matches", { pattern: "a+" }), spec("output-not-matches", { pattern: "a+" })],
  [spec("diff-contains", { value: "x" }), spec("diff-empty")],
  [spec("tool-calls", { required: ["Bash"] }), spec("tool-calls", { disallowed: [{ name: "Bash" }] })],
  [spec("tool-calls", { required: ["Bash"] }), spec("tool-call-count", { max: 0 })],
  [spec("skill-invocation", { required: ["tidy"] }), spec("skill-invocation", { disallowed: ["tidy"] })],
];

const COMPATIBLE: readonly [GraderSpec, GraderSpec][] = [
  [
    { ...spec("file-exists", { path: "a.js" }), after_turn: 2 },
    { ...spec("file-not-exists", { path: "a.js" }), after_turn: 1 },
  ],
  [spec("file-exists", { path: "a.js" }), spec("file-not-exists", { path: "b.js" })],
  [spec("file-exists", { path: "*.js" }), spec("file-not-exists", { path: "a.js" })],
  [spec("output-contains", { substring: "done" }), spec("output-not-contains", { substring: "all done" })],
  [
    spec("output-contains", { substring: "done" }),
    spec("output-not-contains", { substring: "done", case_sensitive: true }),
  ],
  [spec("file-contains", { path: "a.js", value: "x" }), spec("file-not-contains", { path: "b.js", value: "x" })],
  [spec("file-contains", { path: "a.js", value: "X" }), spec("file-not-contains", { path: "a.js", value: "x" })],
  [spec("output-matches", { pattern: "a", flags: "i" }), spec("output-not-matches", { pattern: "a" })],
  [spec("transcript-contains", { substring: "x" }), spec("output-not-contains", { substring: "x" })],
  [spec("diff-contains", { value: "x", path: "a.js" }), spec("diff-empty", { path: "b.js" })],
  [spec("tool-calls", { required: [{ name: "Bash", args: "ls" }] }), spec("tool-calls", { disallowed: ["Edit"] })],
  [spec("tool-calls", { required: ["Bash"] }), spec("tool-call-count", { max: 0, tools: ["Edit"] })],
];

describe("explainExclusion", () => {
  it.each(EXCLUSIVE)("explains why %j and %j cannot both pass", (a, b) => {
    expect(explainExclusion(a, b)).toEqual(expect.any(String));
    expect(explainExclusion(b, a)).toBe(explainExclusion(a, b));
  });

  it.each(COMPATIBLE)("lets %j pass together with %j", (a, b) => {
    expect(explainExclusion(a, b)).toBeNull();
    expect(explainExclusion(b, a)).toBeNull();
  });
});
