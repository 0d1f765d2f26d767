import { describe, expect, it } from "vitest";
import type { LintReport } from "./lint.js";
import { LINT_RULES } from "./lint.js";
import { formatAnnotations, formatFindings, formatRules, serializeFindings, summarizeFindings } from "./render.js";

const REPORT: LintReport = {
  files: ["a,b/SKILL.md"],
  findings: [
    {
      code: "SKILL-NAME",
      severity: "error",
      file: "a,b/SKILL.md",
      line: 2,
      column: 1,
      message: 'The name "100%\nA" is wrong.',
      fix: "Mend it.",
    },
  ],
};

describe("findings", () => {
  it("are formatted as lines that editors can link", () => {
    expect(formatFindings(REPORT)).toBe(
      'a,b/SKILL.md:2:1: error SKILL-NAME: The name "100% A" is wrong.\n    Mend it.\n',
    );
    expect(summarizeFindings(REPORT)).toBe("1 file checked: 1 error, 0 warnings.");
    expect(summarizeFindings({ files: ["x", "y"], findings: [] })).toBe("2 files checked: no findings.");
  });

  it("are formatted as annotations with escaped separators", () => {
    expect(formatAnnotations(REPORT)).toBe(
      '::error file=a%2Cb/SKILL.md,line=2,col=1,title=SKILL-NAME::The name "100%25%0AA" is wrong. Mend it.\n',
    );
  });

  it("are serialized as JSON", () => {
    expect(JSON.parse(serializeFindings(REPORT))).toEqual({
      schema: "assay.lint/1",
      errors: 1,
      warnings: 0,
      ...REPORT,
    });
  });
});

describe("rules", () => {
  it("are printed with their codes, one per line", () => {
    const lines = formatRules().trimEnd().split("\n");
    expect(lines.map((line) => line.split(" ")[0])).toEqual(Object.keys(LINT_RULES));
  });

  it("have full sentences", () => {
    for (const { about, fix } of Object.values(LINT_RULES)) {
      expect(about).toMatch(/^[A-Z].*\.$/);
      expect(fix).toMatch(/^[A-Z].*\.$/);
    }
  });
});
