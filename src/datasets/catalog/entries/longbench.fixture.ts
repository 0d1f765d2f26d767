import type { Fixture } from "../fixture.js";

const COLUMNS = {
  input: "VARCHAR",
  context: "VARCHAR",
  answers: "VARCHAR[]",
  length: "INTEGER",
  dataset: "VARCHAR",
  language: "VARCHAR",
  all_classes: "VARCHAR[]",
  _id: "VARCHAR",
};

interface LongbenchRow {
  input: string;
  context: string;
  answers: readonly string[];
  question: string;
  language?: string;
  all_classes?: readonly string[];
}

/** Rows of one task as converted by the hub, and the expected examples. */
function createLongbenchFixture(config: string, asked: readonly LongbenchRow[]): Fixture {
  const { rows, expected } = createLongbenchRows(config, asked);
  return {
    config,
    files: { [`${config}/test/0000.parquet`]: { isConverted: true, columns: COLUMNS, rows } },
    expected,
  };
}

/** The same rows in the published archive. */
function createPackedFixture(config: string, asked: readonly LongbenchRow[]): Fixture {
  const { rows, expected } = createLongbenchRows(config, asked);
  const text = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  return {
    config,
    files: { "data.zip": { zip: { "data/lcc.jsonl": "{}\n", [`data/${config}.jsonl`]: text } } },
    expected,
  };
}

function createLongbenchRows(config: string, asked: readonly LongbenchRow[]) {
  const rows = asked.map(({ question: _, language = "en", all_classes = null, ...row }, index) => ({
    ...row,
    length: 9000 + index,
    dataset: config,
    language,
    all_classes,
    _id: `${config}-${index}`,
  }));
  const expected = asked.map(({ input: _, language = "en", ...fields }, index) => ({
    ...fields,
    id: `${config}-${index}`,
    language,
    length: 9000 + index,
  }));
  return { rows, expected };
}

const SHORT = "Answer from the text alone, in as few words as possible.";
const CLASSES = ["Other location", "Date"];
const LABELS = "Answer with one of these alone: Other location; Date.";
const LINE =
  "Write the line that comes next in this code. Answer with that line alone, without its indentation and without a fence.";

/** Made-up rows, one task of each kind. */
export const longbenchFixture: readonly Fixture[] = [
  createLongbenchFixture("narrativeqa", [
    {
      input: "Who rows the boat?",
      context: "The vicar took the oars.",
      answers: ["The vicar", "a vicar"],
      question: `Who rows the boat?\n\n${SHORT}`,
    },
    { input: "Where to?", context: "To Oland.", answers: ["Oland"], question: `Where to?\n\n${SHORT}` },
  ]),
  createLongbenchFixture("multifieldqa_zh", [
    {
      input: "谁在划船？",
      context: "牧师拿起了桨。",
      answers: ["牧师"],
      question: "谁在划船？\n\n请只根据上文作答，用中文，越简短越好。",
      language: "zh",
    },
    {
      input: "去哪里？",
      context: "去厄兰岛。",
      answers: ["厄兰岛"],
      question: "去哪里？\n\n请只根据上文作答，用中文，越简短越好。",
      language: "zh",
    },
  ]),
  createLongbenchFixture("gov_report", [
    {
      input: "",
      context: "Bridges were inspected.",
      answers: ["Inspections took place."],
      question: "Summarise this report of a government agency in about one page. Answer with the summary alone.",
    },
    {
      input: "",
      context: "The lake was measured.",
      answers: ["The lake was measured by the agency."],
      question: "Summarise this report of a government agency in about one page. Answer with the summary alone.",
    },
  ]),
  createLongbenchFixture("trec", [
    {
      input: "Question: When was the quay built?\nType:",
      context: "Question: Where is Oland?\nType: Other location",
      answers: ["Date"],
      all_classes: CLASSES,
      question: `The text shows questions with their types. Say of which type this one is.\n\nQuestion: When was the quay built?\nType:\n\n${LABELS}`,
    },
    {
      input: "Question: Where is Visby?\nType:",
      context: "Question: Where is Oland?\nType: Other location",
      answers: ["Other location"],
      all_classes: CLASSES,
      question: `The text shows questions with their types. Say of which type this one is.\n\nQuestion: Where is Visby?\nType:\n\n${LABELS}`,
    },
  ]),
  createLongbenchFixture("passage_retrieval_en", [
    {
      input: "It is about boats.",
      context: "Paragraph 1: Boats float.\nParagraph 2: Bread rises.",
      answers: ["Paragraph 1"],
      question:
        'It is about boats.\n\nOf which paragraph in the text is this the abstract? Answer with the word "Paragraph" and its number alone.',
    },
    {
      input: "It is about bread.",
      context: "Paragraph 1: Boats float.\nParagraph 2: Bread rises.",
      answers: ["Paragraph 2"],
      question:
        'It is about bread.\n\nOf which paragraph in the text is this the abstract? Answer with the word "Paragraph" and its number alone.',
    },
  ]),
  createLongbenchFixture("repobench-p", [
    {
      input: "int tide() {\n",
      context: "// harbour.h\nint low;",
      answers: ["return low;"],
      question: `int tide() {\n\n${LINE}`,
      language: "java",
    },
    {
      input: "int depth() {\n",
      context: "// harbour.h\nint deep;",
      answers: ["return deep;"],
      question: `int depth() {\n\n${LINE}`,
      language: "java",
    },
  ]),
  createPackedFixture("hotpotqa", [
    {
      input: "Who bakes?",
      context: "Ida bakes on Oland.",
      answers: ["Ida"],
      question: `Who bakes?\n\n${SHORT}`,
    },
    { input: "Where?", context: "Ida bakes on Oland.", answers: ["Oland"], question: `Where?\n\n${SHORT}` },
  ]),
];
