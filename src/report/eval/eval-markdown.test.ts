import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { EvalResult } from "../../core/result.js";
import { makeEvalResult, makeTrialRows } from "../../testing/eval-result.js";
import { evalReport } from "./eval-report.js";
import { renderEvalMarkdown } from "./eval-text.js";

const textOf = (result: EvalResult) => renderEvalMarkdown(evalReport(result), result);
const gate = (value: number) => ({ metric: "pass_rate", op: ">=" as const, value });
const headline = (text: string) => text.split("\n").find((line) => line.startsWith("### "));

/** The cells in the rows of all tables: a name that breaks out adds one. */
function cellCounts(text: string): number[] {
  const rows = text.split("\n").filter((line) => line.startsWith("| "));
  return rows.map((row) => row.split("|").length - 2);
}

/** Any UTF-16, including lone surrogates and control characters, with special characters more often than by chance. */
const codeUnits = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xffff }), fc.integer({ min: 0, max: 0x7f })), {
    minLength: 1,
    maxLength: 12,
  })
  .map((units) => String.fromCharCode(...units));

describe("the eval report as a comment", () => {
  it("says first whether the gates were passed", () => {
    const rows = makeTrialRows("PPPF");
    const told = (...gates: ReturnType<typeof gate>[]) =>
      headline(textOf(makeEvalResult(rows, { evals: { tidy: { gates } } })));
    expect(told(gate(0.7), gate(0.5))).toBe("### ✅ a run: all gates passed");
    expect(told(gate(0.7), gate(0.9))).toBe("### ❌ a run: 1 of 2 gates failed");
  });

  it("shows the gates of the command", () => {
    const gates = [
      { gate: "--fail-under pass_rate=0.9", passed: false, words: "bot: pass_rate = 0.5 is under 0.9" },
      { gate: "--require-pass", passed: true, words: "--require-pass: every trial passed" },
    ];
    const result = makeEvalResult(makeTrialRows("PF"));
    const text = renderEvalMarkdown(evalReport(result, { gates }), result);
    expect(headline(text)).toBe("### ❌ a run: 1 of 2 gates failed");
    expect(text).toContain(
      "- ❌ bot: pass_rate = 0.5 is under 0.9 (--fail-under pass_rate=0.9)\n- ✅ --require-pass: every",
    );
  });

  it("is not green without gates, and never when no trial has a verdict", () => {
    expect(headline(textOf(makeEvalResult(makeTrialRows("FF"))))).toBe("### ⚪ a run: no gates");
    expect(headline(textOf(makeEvalResult(makeTrialRows("US"))))).toBe("### ❌ a run: no trial has a verdict");
  });

  it("has a marker, and folds the tables of test cases", () => {
    const text = textOf(
      makeEvalResult(makeTrialRows("PF"), { evals: { tidy: { gates: [gate(0.9)] } }, notes: ["told"] }),
    );
    expect(text).toMatch(/^<!-- assay:[^>]+ -->\n\n### /);
    expect(text).toContain("<details><summary>tidy: agent</summary>\n\n| test case ");
    expect(text).toContain("- gate pass_rate &gt;= 0.9: 0.5, failed");
    expect(text).toMatch(/\| tidy +\| agent +\| +0\.5 \| +0\.5 \| +1 \| +– \| ❌ pass_rate \|/);
    expect(text.endsWith("</details>\n\n- told\n")).toBe(true);
  });

  it.each([
    ["a bar", "a|b", /a\|b/],
    ["a bar behind a backslash", "a\\|b", /\\\|/],
    ["a line break", "a\n\n# b", /^# b/m],
    ["a script", "<script>alert(1)</script>", /<script/],
    ["the end of the fold", "</details>x", /<\/details>x/],
    ["a comment", "<!-- b", /<!-- b/],
    ["a mention", "@octocat and a@b", /@(?:octocat|b)/],
    ["backticks", "`a` ```", /`/],
    ["an image", "![a](http://example.com/a.png)", /\]\(/],
    ["a link by reference", "[a][b] [b]: http://example.com", /\][[:]/],
    ["an escape sequence", "a\u001b[31mb", /\p{Cc}\[31m/u],
  ])("escapes %s in a name", (_, name, markup) => {
    const rows = makeTrialRows("PU", { exampleId: name, dataset: name, system: name, notes: [name] });
    const text = textOf(makeEvalResult(rows, { title: name, notes: [name], evals: { [name]: { gates: [gate(1)] } } }));
    expect(text).not.toMatch(markup);
    expect(new Set(cellCounts(text))).toEqual(new Set([7, 9]));
  });

  it("has the same number of lines, cells and tags for any names", () => {
    const shapeOf = (name: string) => {
      const rows = makeTrialRows("PU", { exampleId: name, dataset: name, system: name, notes: [name] });
      const text = textOf(makeEvalResult(rows, { title: name, notes: [name] }));
      return {
        lines: text.split("\n").length,
        cells: cellCounts(text),
        tags: text.replace(/^<!-- assay:[\w%. ~!'()*-]* -->/, "").match(/<[^>]*>/g),
      };
    };
    const usual = shapeOf("tidy");
    fc.assert(
      fc.property(codeUnits, (name) => {
        expect(shapeOf(name)).toEqual(usual);
      }),
      { numRuns: 60 },
    );
  });
});
