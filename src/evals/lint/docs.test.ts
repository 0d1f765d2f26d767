import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { LINT_RULES } from "./lint.js";

const PAGE = readFileSync(new URL("../../../docs/reference/lint.md", import.meta.url), "utf8");

/** The rows of the rule tables, cell by cell. */
const rows = PAGE.split("\n")
  .filter((line) => /^\| `(?:SKILL|EVAL)-/.test(line))
  .map((line) =>
    line
      .split("|")
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );

describe("docs/reference/lint.md", () => {
  it("lists every rule in the order of the program", () => {
    const rules = Object.entries(LINT_RULES).map(([code, { severity, about, fix }]) => [
      `\`${code}\``,
      severity,
      about,
      fix,
    ]);
    expect(rows).toEqual(rules);
  });
});
