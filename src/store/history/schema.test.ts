import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parseBlocks, parseTableRows } from "../../../test/docs/markdown.js";
import { TempProject } from "../../testing/temp-project.js";
import { queryRuns } from "./query-runs.js";
import { writeTestRun } from "./run-testing.js";
import { EXTRA_TRIAL_COLUMNS, formatSchema, ROW_COLUMNS, VIEW_NAMES, VIEWS } from "./schema.js";

const PAGE = readFileSync(new URL("../../../docs/guides/history.md", import.meta.url), "utf8");

describe("docs/guides/history.md", () => {
  const sections = PAGE.split("## Views")[1]?.split("\n## ")[0]?.split("\n### ").slice(1) ?? [];

  test("lists the views in order", () => {
    expect(sections.map((section) => section.split("\n")[0])).toEqual([...VIEW_NAMES]);
  });

  test.each([...VIEW_NAMES])("lists the columns of %s with types and descriptions", (name) => {
    const section = sections.find((each) => each.startsWith(`${name}\n`)) ?? "";
    const listed = parseTableRows(section)
      .slice(1)
      .map((cells) => cells.map((cell) => cell.replaceAll("`", "")));
    expect(listed).toEqual(name === "trials" ? EXTRA_TRIAL_COLUMNS : VIEWS[name].columns);
    expect(section.toLowerCase()).toContain(VIEWS[name].about.toLowerCase());
  });

  test("contains queries that work", async () => {
    const space = new TempProject();
    writeTestRun(space.path("runs", "r"), {
      rows: [
        {
          system: "one",
          exampleId: 1,
          outcome: "fail",
          passed: false,
          usage: { input: 1, output: 1 },
          facets: { depth: 0.5 },
        },
      ],
      summary: { complete: true, summary: { one: { pass_rate: 0, mean_cost_usd: 0.5 } } },
    });
    const statements = parseBlocks(PAGE).filter(({ language }) => language === "sql");
    expect(statements.length).toBeGreaterThan(5);
    for (const { text, line } of statements) {
      const { rows, notes } = await queryRuns({ runsDir: space.path("runs"), sql: text });
      expect(rows.length, `line ${line}`).toBeGreaterThan(0);
      expect(notes).toEqual([]);
    }
  });
});

describe("formatSchema", () => {
  test("lists every column of every view with its type", () => {
    const text = formatSchema();
    for (const name of VIEW_NAMES) {
      const part = text.split(`${name}: ${VIEWS[name].about}\n`)[1]?.split("\n\n")[0] ?? "";
      const listed = part.split("\n").map((line) => line.trim().split(/ {2,}/));
      expect(listed).toEqual(VIEWS[name].columns);
    }
    expect(VIEWS.trials.columns.slice(0, ROW_COLUMNS.length)).toEqual(ROW_COLUMNS);
  });
});
