import type { Fixture } from "../fixture.js";

const ROWS = [
  {
    document:
      "The ferry to Oland was late on Monday. \n  \n Nobody was hurt. ||||| A ferry ran aground in fog on Monday. |||||",
    summary: "– A ferry to Oland ran aground in fog on Monday and was late. Nobody was hurt.",
  },
  { document: "", summary: "– Nobody knows what this is about." },
  { document: "A bakery gives away bread at noon.", summary: "– Free bread at noon." },
];

/** A column as the repository's files store it: one line per row. */
function createNewsLines(column: "document" | "summary"): string {
  return ROWS.map((row) => ` ${row[column].replaceAll("\n", "NEWLINE_CHAR")}\n`).join("");
}

const expected: Fixture["expected"] = [
  {
    context:
      "The ferry to Oland was late on Monday. \n  \n Nobody was hurt.\n\n---\n\nA ferry ran aground in fog on Monday.",
    question: "Summarise what these news articles report in a few paragraphs. Answer with the summary alone.",
    answer: "– A ferry to Oland ran aground in fog on Monday and was late. Nobody was hurt.",
  },
  {
    context: "A bakery gives away bread at noon.",
    question: "Summarise what these news articles report in a few paragraphs. Answer with the summary alone.",
    answer: "– Free bread at noon.",
  },
];

/** Made-up rows, converted and as published; the one without articles gives no example. */
export const multiNewsFixture: readonly Fixture[] = [
  {
    files: {
      "default/test/0000.parquet": {
        isConverted: true,
        columns: { document: "VARCHAR", summary: "VARCHAR" },
        rows: ROWS,
      },
    },
    expected,
  },
  {
    files: {
      "multi_news.py": { text: "# a script\n" },
      "data/test.src.cleaned": { text: createNewsLines("document") },
      "data/test.tgt": { text: createNewsLines("summary") },
    },
    expected,
  },
];
