import { describe, expect, it } from "vitest";
import type { GraderSpec } from "../../../core/grader.js";
import { findConstantOutcome } from "./linted-stimulus.js";

const GIVEN = { paths: new Set(["src/a.js"]) };
const spec = (type: string, config: Record<string, unknown> = {}): GraderSpec => ({ type, config });
const ANY = spec("output-matches", { pattern: "a*" });
const OPEN = spec("output-matches", { pattern: "done" });

describe("findConstantOutcome", () => {
  it.each([
    [ANY, true],
    [spec("output-matches", { pattern: "(?i).*" }), true],
    [spec("output-not-matches", { pattern: "x?" }), false],
    [spec("file-exists", { path: "src/*.js" }), true],
    [spec("token-budget", { max: 0 }), false],
    [spec("tool-call-count", { min: 0 }), true],
    [spec("any-of", { graders: [OPEN, ANY] }), true],
    [spec("all-of", { graders: [ANY, ANY] }), true],
    [spec("all-of", { graders: [OPEN, spec("turn-count", { max: 0 })] }), false],
    [spec("not", { grader: ANY }), false],
  ])("%j: %s", (given, passes) => {
    expect(findConstantOutcome(given, GIVEN)?.passes).toBe(passes);
  });

  it.each([
    OPEN,
    // Matches an empty answer, and hardly any other.
    spec("output-matches", { pattern: "^$" }),
    spec("output-matches", { pattern: "^\\w*$" }),
    spec("file-exists", { path: "src/b.js" }),
    spec("file-not-exists", { path: "src/a.js" }),
    spec("tool-call-count", { max: 0 }),
    spec("cost-budget", { max_usd: 0 }),
    spec("all-of", { graders: [ANY, OPEN] }),
    spec("any-of", { graders: [] }),
    spec("a-plugin", { pattern: ".*" }),
  ])("returns null for %j", (given) => {
    expect(findConstantOutcome(given, GIVEN)).toBeNull();
  });
});
