import { stripVTControlCharacters } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLayout } from "./layout.js";
import type { FigureValue, TableColumn, Unit } from "./markdown.js";
import { createPaint } from "./style.js";
import { renderTerminalTable, type TerminalTableOptions } from "./terminal-table.js";
import { measureColumns } from "./text-block.js";

interface Item {
  name: string;
  values: FigureValue[];
}

const PLAIN = createPaint(false);
const UNITS: Unit[] = ["number", "share", "dollars", "seconds"];

function draw(columns: readonly TableColumn<Item>[], items: readonly Item[], options: Partial<TerminalTableOptions>) {
  return renderTerminalTable(columns, items, { width: 80, paint: PLAIN, ...options });
}

function createColumns(units: readonly Unit[]): TableColumn<Item>[] {
  const figures = units.map(
    (unit, i): TableColumn<Item> => ({
      title: `${unit} of ${i}`,
      align: "right",
      cell: ({ values }) => String(values[i]?.value),
      priority: i,
      figure: { unit, level: "95 %", get: ({ values }) => values[i] ?? { value: null } },
    }),
  );
  return [{ title: "system", cell: ({ name }) => name }, ...figures];
}

const named = (name: string, ...values: number[]): Item => ({ name, values: values.map((value) => ({ value })) });

describe("renderTerminalTable", () => {
  it("gives a column one unit and one precision, and aligns it right", () => {
    const items = [named("a", 0.5, 0.012, 0.0004), named("bb", 1, 1.5, 12), named("c", 0.25, 0.2, 0)];
    expect(draw(createColumns(["number", "seconds", "dollars"]), items, {})).toBe(
      [
        "system  number of 0  seconds of 1  dollars of 2",
        "──────  ───────────  ────────────  ────────────",
        "a              0.50        0.01 s       $0.0004",
        "bb             1.00        1.50 s      $12.0000",
        "c              0.25        0.20 s       $0.0000",
      ].join("\n"),
    );
  });

  it("leaves out the last columns by priority and says so", () => {
    const text = draw(createColumns(UNITS), [named("a", 1, 0.5, 2, 3), named("b", 1, 0.5, 2, 3)], { width: 30 });
    expect(text.split("\n")[1]).toMatch(/^system +of 0 +of 1 +of 2$/);
    expect(text).toContain("Left out: seconds of 3.");
    expect(text).toContain("wider terminal");
  });

  it("is a list where even two columns do not fit, and where nothing may be left out", () => {
    const items = [named("a", 1, 0.5, 2, 3)];
    const list = ["a", "  number of 0   1", "  share of 1    50 %", "  dollars of 2  $2.00", "  seconds of 3  3 s"];
    expect(draw(createColumns(UNITS), items, { width: 30, isComplete: true })).toBe(list.join("\n"));
    expect(draw(createColumns(UNITS), items, { width: 10 })).not.toContain("Left out");
  });

  it("wraps long texts inside of their column", () => {
    const columns: TableColumn<Item>[] = [
      { title: "name", cell: ({ name }) => name },
      { title: "about", cell: () => "one two three four five six seven eight nine ten" },
      { title: "n", align: "right", cell: () => "7" },
    ];
    expect(draw(columns, [named("a")], { width: 40 })).toBe(
      [
        "name  about                            n",
        "────  ───────────────────────────────  ─",
        "a     one two three four five six      7",
        "      seven eight nine ten",
      ].join("\n"),
    );
  });

  it("highlights the best values, and nothing where all are the same", () => {
    const columns: TableColumn<Item>[] = createColumns(["number", "number", "number"]).map((column, i) => {
      const better = i === 1 ? "higher" : "lower";
      return column.figure === undefined ? column : { ...column, figure: { ...column.figure, better } };
    });
    const paint = (text: string, tone: string) => (tone === "best" ? text.replace(/\S+/, "<$&>") : text);
    const lines = draw(columns, [named("a", 1, 1, 5), named("b", 2, 2, 5)], { paint }).split("\n");
    expect(lines.at(-2)).toMatch(/^a +1 +<1> +5$/);
    expect(lines.at(-1)).toMatch(/^b +<2> +2 +5$/);
  });

  it("adds colors around cells, not inside of their padding, so that columns stay aligned", () => {
    const layout = createLayout({ width: 60, hasColors: true });
    const text = layout.table(createColumns(["number"]), [named("a", 1), named("b", 2)]);
    expect(text).toContain("\u001b[");
    const plain = createLayout({ width: 60 }).table(createColumns(["number"]), [named("a", 1), named("b", 2)]);
    expect(stripVTControlCharacters(text)).toBe(plain);
    expect(plain).not.toContain("\u001b");
  });
});

const nameArbitrary = fc.oneof(
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.stringMatching(/^[a-z/:.0-9-]{0,80}$/),
  fc.constantFrom("漢字のとても長い名前".repeat(4), "👩‍👩‍👧‍👦 family 🇩🇪 ❤️", "two\nlines\tand a tab", "\u001b[2Jclear"),
);
const numberArbitrary = fc.oneof(
  fc.constantFrom(0, 1, 0.5, Number.POSITIVE_INFINITY, 1e-9, 1e21),
  fc.double({ noNaN: true }),
  fc.double({ min: 0, max: 1, noNaN: true }),
);
const valueArbitrary = fc.record({
  value: fc.option(numberArbitrary),
  low: fc.option(numberArbitrary),
  high: fc.option(numberArbitrary),
});

describe("properties", () => {
  const tableArbitrary = fc.record({
    units: fc.array(fc.constantFrom(...UNITS), { minLength: 1, maxLength: 9 }),
    items: fc.array(fc.record({ name: nameArbitrary, values: fc.array(valueArbitrary, { maxLength: 9 }) }), {
      maxLength: 6,
    }),
    width: fc.integer({ min: 24, max: 220 }),
    isComplete: fc.boolean(),
  });

  it("no line is wider than the terminal", () => {
    fc.assert(
      fc.property(tableArbitrary, ({ units, items, ...options }) => {
        const text = draw(createColumns(units), items, options);
        for (const line of text.split("\n")) expect(measureColumns(line)).toBeLessThanOrEqual(options.width);
      }),
    );
  });

  it("every value of a column is shown, or the column is named as left out", () => {
    fc.assert(
      fc.property(tableArbitrary, ({ units, items, width }) => {
        const columns = createColumns(units);
        const wide = items.map((_, i) => readValues(draw(columns, items, { width: 2000 }), i));
        const text = draw(columns, items, { width });
        if (!text.includes("─")) return;
        const shown = text.replace(/\n/g, " ");
        items.forEach((_, i) => {
          const values = readValues(text, i);
          units.forEach((unit, at) => {
            if (shown.includes(`${unit} of ${at}`) && shown.indexOf(`${unit} of ${at}`) > shown.indexOf("Left out"))
              return;
            expect(values[at]).toBe(wide[i]?.[at]);
          });
        });
      }),
    );
  });
});

/** The values of a line without name and intervals. Numbers have no spaces but before their unit. */
function readValues(text: string, index: number): string[] {
  const lines = text.split("\n");
  const rule = lines.findIndex((line) => /^─[─ ]*$/.test(line));
  const start = measureColumns(/^─+/.exec(lines[rule] ?? "")?.[0] ?? "") + 2;
  let columns = 0;
  let line = lines[rule + 1 + index] ?? "";
  while (columns < start && line !== "") {
    const [character = ""] = line;
    columns += measureColumns(character);
    line = line.slice(character.length);
  }
  return line
    .replace(/\[[^\]]*\]/g, "")
    .trim()
    .split(/ {2,}/)
    .map((value) => value.trim());
}

describe("a command", () => {
  const draw = (width: number, command: string) => createLayout({ width }).command("Next", command);

  it("is broken before a flag, so that it can be copied", () => {
    const command = "assay compare 20261118-quiz --system-a first --system-b second";
    expect(draw(100, command)).toBe(`- Next: ${command}`);
    const lines = draw(50, command).split("\n");
    expect(lines).toEqual(["- Next: assay compare 20261118-quiz \\", "    --system-a first --system-b second"]);
    expect(draw(50, command).replaceAll(/\\\n */g, "")).toBe(`- Next: ${command}`);
  });

  it("with quotes is not broken", () => {
    const command = "assay compare latest --system-a 'my --own' --system-b second";
    expect(draw(30, command)).toBe(`- Next: ${command}`);
  });
});
