import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashContent } from "../../core/fingerprint.js";
import { readCsv, readTsv } from "../csv.js";
import { readJsonl } from "../json.js";
import type { RawRow, SourceRow } from "../source-row.js";
import { arcChallengeFixture } from "./entries/arc-challenge.fixture.js";
import { arcChallenge } from "./entries/arc-challenge.js";
import { bbhFixture } from "./entries/bbh.fixture.js";
import { bbh } from "./entries/bbh.js";
import { dropFixture } from "./entries/drop.fixture.js";
import { drop } from "./entries/drop.js";
import { framesFixture } from "./entries/frames.fixture.js";
import { frames } from "./entries/frames.js";
import { gpqaFixture } from "./entries/gpqa.fixture.js";
import { gpqa } from "./entries/gpqa.js";
import { gsm8kFixture } from "./entries/gsm8k.fixture.js";
import { gsm8k } from "./entries/gsm8k.js";
import { hellaswagFixture } from "./entries/hellaswag.fixture.js";
import { hellaswag } from "./entries/hellaswag.js";
import { hotpotqaFixture } from "./entries/hotpotqa.fixture.js";
import { hotpotqa } from "./entries/hotpotqa.js";
import { humanevalFixture } from "./entries/humaneval.fixture.js";
import { humaneval } from "./entries/humaneval.js";
import { mathFixture } from "./entries/math.fixture.js";
import { math } from "./entries/math.js";
import { mbppFixture } from "./entries/mbpp.fixture.js";
import { mbpp } from "./entries/mbpp.js";
import { mgsmFixture } from "./entries/mgsm.fixture.js";
import { mgsm } from "./entries/mgsm.js";
import { mmluFixture } from "./entries/mmlu.fixture.js";
import { mmlu } from "./entries/mmlu.js";
import { mmluProFixture } from "./entries/mmlu-pro.fixture.js";
import { mmluPro } from "./entries/mmlu-pro.js";
import { musiqueFixture } from "./entries/musique.fixture.js";
import { musique } from "./entries/musique.js";
import { narrativeqaFixture } from "./entries/narrativeqa.fixture.js";
import { narrativeqa } from "./entries/narrativeqa.js";
import { naturalQuestionsFixture } from "./entries/natural-questions.fixture.js";
import { naturalQuestions } from "./entries/natural-questions.js";
import { qasperFixture } from "./entries/qasper.fixture.js";
import { qasper } from "./entries/qasper.js";
import { qualityFixture } from "./entries/quality.fixture.js";
import { quality } from "./entries/quality.js";
import { triviaqaFixture } from "./entries/triviaqa.fixture.js";
import { triviaqa } from "./entries/triviaqa.js";
import { truthfulqaFixture } from "./entries/truthfulqa.fixture.js";
import { truthfulqa } from "./entries/truthfulqa.js";
import { winograndeFixture } from "./entries/winogrande.fixture.js";
import { winogrande } from "./entries/winogrande.js";
import type { CatalogEntry, ExampleFields, HubSource } from "./entry.js";
import type { Fixture, FixtureFile } from "./fixture.js";
import { getValueAtPath, RowProblem } from "./row-fields.js";

const ENTRIES: readonly [string, CatalogEntry, Fixture | readonly Fixture[]][] = [
  ["hotpotqa", hotpotqa, hotpotqaFixture],
  ["natural-questions", naturalQuestions, naturalQuestionsFixture],
  ["musique", musique, musiqueFixture],
  ["narrativeqa", narrativeqa, narrativeqaFixture],
  ["triviaqa", triviaqa, triviaqaFixture],
  ["frames", frames, framesFixture],
  ["quality", quality, qualityFixture],
  ["qasper", qasper, qasperFixture],
  ["mmlu", mmlu, mmluFixture],
  ["mmlu-pro", mmluPro, mmluProFixture],
  ["arc-challenge", arcChallenge, arcChallengeFixture],
  ["truthfulqa", truthfulqa, truthfulqaFixture],
  ["gpqa", gpqa, gpqaFixture],
  ["hellaswag", hellaswag, hellaswagFixture],
  ["winogrande", winogrande, winograndeFixture],
  ["gsm8k", gsm8k, gsm8kFixture],
  ["math", math, mathFixture],
  ["mgsm", mgsm, mgsmFixture],
  ["drop", drop, dropFixture],
  ["bbh", bbh, bbhFixture],
  ["humaneval", humaneval, humanevalFixture],
  ["mbpp", mbpp, mbppFixture],
];

const CASES = ENTRIES.flatMap(([name, entry, fixtures]) =>
  [fixtures].flat().map((fixture) => {
    const config = fixture.config ?? entry.configs?.default ?? "";
    return { title: config === "" ? name : `${name}:${config}`, entry, fixture, config };
  }),
);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "entries-a-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** The rows of a fixture file, read with the project's readers if it is text. */
async function rowsOf(path: string, file: FixtureFile, entry: CatalogEntry): Promise<RawRow[]> {
  if ("rows" in file) return [...file.rows];
  if ("zip" in file) throw new Error(`no entry here is read from an archive: ${path}`);
  const local = join(folder, `${hashContent(file.text)}-${path}`);
  await writeFile(local, file.text);
  const rows: RawRow[] = [];
  for await (const batch of read(local, entry)) rows.push(...batch.map(rowOf));
  return rows;
}

function read(path: string, { header }: CatalogEntry): AsyncIterable<readonly SourceRow[]> {
  if (path.endsWith(".jsonl")) return readJsonl(path);
  const options = header === undefined ? {} : { header };
  return path.endsWith(".tsv") ? readTsv(path, options) : readCsv(path, options);
}

function rowOf(source: SourceRow): RawRow {
  if ("problem" in source) throw new Error(`line ${source.line} ${source.problem}`);
  return source.row;
}

function ask(entry: CatalogEntry, row: RawRow, { config = "", subject }: HubSource = {}): ExampleFields[] {
  const id = hashContent(entry.columns.map((column) => getValueAtPath(row, column) ?? null));
  return [
    entry.examples(row, { config, contentId: id, lookups: {}, ...(subject !== undefined && { subject }) }),
  ].flat();
}

/** Removes the value at a path, in every item of a list. */
function without(value: unknown, [name = "", ...rest]: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((item) => without(item, [name, ...rest]));
  const { [name]: inside, ...others } = value as RawRow;
  return rest.length === 0 ? others : { ...others, [name]: without(inside, rest) };
}

/** Whether a path belongs to a source: by path, by the repository's Parquet layout, or by the hub's conversion. */
function isOf({ config, split, files = [] }: HubSource, path: string): boolean {
  if (files.includes(path)) return true;
  const layouts = [`${config}/${split}-`, `${config}/${split}/`, ...(config === "default" ? [`data/${split}-`] : [])];
  return layouts.some((layout) => path.startsWith(layout) && path.endsWith(".parquet"));
}

async function load({ entry, fixture, config }: (typeof CASES)[number]): Promise<ExampleFields[]> {
  const examples: ExampleFields[] = [];
  for (const source of entry.sources(config)) {
    const paths = Object.keys(fixture.files).filter((path) => isOf(source, path));
    expect(paths, JSON.stringify(source)).toHaveLength(1);
    for (const path of paths) {
      const rows = await rowsOf(path, fixture.files[path] as FixtureFile, entry);
      for (const row of rows) examples.push(...ask(entry, row, { config, ...source }));
    }
  }
  return examples;
}

describe.each(CASES)("$title", (test) => {
  const { entry, fixture } = test;

  it("converts its rows to the expected examples", async () => {
    const examples = await load(test);
    expect(examples).toHaveLength(fixture.expected.length);
    expect(examples).toMatchObject(fixture.expected);
  });

  it("has rows with every column that it reads", async () => {
    for (const [path, file] of Object.entries(fixture.files)) {
      const [row = {}] = await rowsOf(path, file, entry);
      for (const column of entry.columns) expect(getValueAtPath(row, column), column).toBeDefined();
    }
  });

  it("has its subject and facets as fields of every example", async () => {
    const fields = [...(entry.facets ?? []), ...(entry.subject === undefined ? [] : [entry.subject])];
    for (const example of await load(test)) expect(Object.keys(example)).toEqual(expect.arrayContaining(fields));
  });

  it("requires each column: a row without it is rejected", async () => {
    const [path, file] = Object.entries(fixture.files)[0] as [string, FixtureFile];
    const [row = {}] = await rowsOf(path, file, entry);
    for (const column of entry.columns) {
      const rest = without(row, Object.hasOwn(row, column) ? [column] : column.split(".")) as RawRow;
      expect(() => ask(entry, rest), column).toThrow(RowProblem);
      expect(() => ask(entry, rest), column).toThrow(column);
    }
  });
});

const CHOICE = { question: "Which?", choices: ["a", "b"], options: ["a", "b"], subject: "s", category: "c" };
const STORY = { article: "…", question_unique_id: "1", difficult: 0 };
const SWAG = { ctx: "She", endings: ["a", "b"], split_type: "indomain" };
const CODE = { task_id: 1, prompt: "Write f.", code: "def f(x): return x", test_imports: [] };
const HUMAN = {
  task_id: "HumanEval/9",
  prompt: "def f():\n",
  canonical_solution: "    pass",
  test: "t",
  entry_point: "f",
};
const GPQA = {
  "Record ID": "r",
  Question: "Q",
  "Correct Answer": "a",
  "Incorrect Answer 1": "b",
  "Incorrect Answer 2": "c",
  "Incorrect Answer 3": "none of the above",
  "High-level domain": "d",
};
const TRIVIA = {
  question: "Who?",
  entity_pages: { wiki_context: [] },
  search_results: { search_context: [] },
  answer: { value: "Wren", aliases: [] },
};

function paper(answer: unknown): RawRow {
  return {
    title: "T",
    abstract: "A",
    full_text: { section_name: [], paragraphs: [] },
    qas: { question: ["Q?"], question_id: ["q"], answers: [{ answer }] },
  };
}

const NO_ANSWER = { unanswerable: false, extractive_spans: [], yes_no: null, free_form_answer: " " };

it.each<[string, CatalogEntry, RawRow, string]>([
  [
    "no gold",
    hotpotqa,
    { id: "1", question: "Q", type: "t", answer: null, context: { title: [], sentences: [] } },
    "answer",
  ],
  [
    "a blank gold",
    hotpotqa,
    { id: "1", question: "Q", type: "t", answer: " ", context: { title: [], sentences: [] } },
    "answer",
  ],
  [
    "a title without its sentences",
    hotpotqa,
    { id: "1", context: { title: ["T"], sentences: [] } },
    "context.sentences.0",
  ],
  ["an empty list of golds", naturalQuestions, { question: "Q", answer: [] }, "answer"],
  ["a list of blank golds", naturalQuestions, { question: "Q", answer: [""] }, "answer"],
  ["a gold that is no text", naturalQuestions, { question: "Q", answer: [null] }, "answer[0]"],
  ["no gold among its struct", triviaqa, { ...TRIVIA, answer: { value: null, aliases: ["x"] } }, "answer.value"],
  ["no aliases", triviaqa, { ...TRIVIA, answer: { value: "x" } }, "answer.aliases"],
  [
    "a gold without text",
    narrativeqa,
    { document: { summary: { text: "S" } }, question: { text: "Q" }, answers: [{}] },
    "answers.text[0]",
  ],
  [
    "no golds",
    drop,
    { query_id: "1", passage: "P", question: "Q", answers_spans: { spans: [], types: [] } },
    "answers_spans.spans",
  ],
  ["a blank gold", frames, { Prompt: "P", Answer: "" }, "Answer"],
  ["no best answer", truthfulqa, { question: "Q", best_answer: "", correct_answers: ["a"] }, "best_answer"],
  [
    "a label of 0 where 1 is the first",
    quality,
    { ...CHOICE, ...STORY, gold_label: 0 },
    'has 0 in "gold_label", which must be from 1 to 2',
  ],
  [
    "a label beyond the options",
    quality,
    { ...CHOICE, ...STORY, gold_label: 3 },
    'has 3 in "gold_label", which must be from 1 to 2',
  ],
  ["a null index", mmlu, { ...CHOICE, answer: null }, "answer"],
  ["an index beyond the options", mmlu, { ...CHOICE, answer: 2 }, 'has 2 in "answer", which must be from 0 to 1'],
  ["a negative index", mmluPro, { ...CHOICE, question_id: 1, answer_index: -1 }, "answer_index"],
  ["a fraction for an index", mmluPro, { ...CHOICE, question_id: 1, answer_index: 0.5 }, "answer_index"],
  [
    "a key that is no label",
    arcChallenge,
    { id: "1", answerKey: "E", choices: { text: ["a", "b"], label: ["A", "B"] } },
    'has "E" in "answerKey", which is not one of A, B',
  ],
  ["no right option", gpqa, { ...GPQA, "Correct Answer": "" }, "Correct Answer"],
  ["the empty label of a test split", hellaswag, { ...SWAG, label: "" }, "label"],
  ["an ending beyond the last", hellaswag, { ...SWAG, label: "4" }, "label"],
  ["the empty answer of a test split", winogrande, { sentence: "_", option1: "a", option2: "b", answer: "" }, "answer"],
  ["a third option", winogrande, { sentence: "_", option1: "a", option2: "b", answer: "3" }, "answer"],
  [
    "a solution without a final number",
    gsm8k,
    { question: "Q", answer: "It is 5." },
    'has nothing after "####" in "answer"',
  ],
  ["a mark with nothing behind it", gsm8k, { question: "Q", answer: "It is 5.\n#### " }, "answer"],
  ["a solution without a box", math, { problem: "P", solution: "It is 5." }, "solution"],
  ["a box that is not closed", math, { problem: "P", solution: "It is \\boxed{5." }, "solution"],
  ["no number", mgsm, { question: "Q", answer_number: null }, "answer_number"],
  ["a blank target", bbh, { input: "I", target: "" }, "target"],
  ["no tests", humaneval, { ...HUMAN, test: "" }, 'has no code in "test"'],
  ["an empty list of tests", mbpp, { ...CODE, test_list: [] }, "test_list"],
  ["tests of another function", mbpp, { ...CODE, test_list: ["assert g(1) == 1"] }, "test_list"],
  ["a question that nobody answered", qasper, paper([]), "qas.answers.0.answer"],
  ["an answer of no kind", qasper, paper([NO_ANSWER]), "qas.answers.0.answer.0"],
])("rejects %s (%#)", (_, entry, row, message) => {
  expect(() => ask(entry, row)).toThrow(RowProblem);
  expect(() => ask(entry, row)).toThrow(message);
});

/** The options in the order of the question, and the correct one. */
function asked({ choices, answer_index: index }: ExampleFields = {}) {
  const options = Array.isArray(choices) ? choices : [];
  return { options, right: options[Number(index)] };
}

describe("unusual but valid rows", () => {
  it("accepts a quiz question without any page", () => {
    expect(ask(triviaqa, TRIVIA)).toEqual([{ question: expect.stringMatching(/^Who\?/), answers: ["Wren"] }]);
  });

  it("accepts labels and indexes as text", () => {
    expect(ask(mmlu, { ...CHOICE, answer: "1" })).toMatchObject([{ answer: "b" }]);
    expect(ask(quality, { ...CHOICE, ...STORY, gold_label: "1" })).toMatchObject([{ answer: "a" }]);
  });

  it("leaves the subject undefined if a local file's name does not state it", () => {
    expect(ask(bbh, { input: "I", target: "(A)" })[0]).not.toHaveProperty("subject");
    expect(ask(math, { problem: "P", level: "Level 1", type: "Algebra", solution: "\\boxed{1}" })).toMatchObject([
      { subject: "Algebra" },
    ]);
  });

  it("accepts both answers if annotators disagree on whether there is one", () => {
    const mixed = [
      { ...NO_ANSWER, yes_no: false },
      { ...NO_ANSWER, unanswerable: true },
    ];
    expect(ask(qasper, paper(mixed))).toMatchObject([{ answers: ["No"], unanswerable: true }]);
    expect(ask(qasper, paper([{ ...NO_ANSWER, unanswerable: true }]))[0]).not.toHaveProperty("answers");
    expect(ask(qasper, paper([{ ...NO_ANSWER, yes_no: false }]))[0]).not.toHaveProperty("unanswerable");
  });

  it("does not give away the correct option of GPQA if options refer to others", () => {
    const letters = Array.from({ length: 40 }, (_, index) => {
      return ask(gpqa, { ...GPQA, "Record ID": `rec${index}` })[0]?.answer_index;
    });
    expect(new Set(letters)).toEqual(new Set([0, 1, 2, 3]));
  });

  it("shuffles the options of GPQA, whose file lists the correct one first", () => {
    const row = { ...GPQA, "Incorrect Answer 3": "d" };
    const all = Array.from({ length: 40 }, (_, index) => ask(gpqa, { ...row, "Record ID": `rec${index}` })[0]);
    expect(new Set(all.map((fields) => fields?.answer_index))).toEqual(new Set([0, 1, 2, 3]));
    for (const fields of all) expect(asked(fields).right).toBe("a");
  });

  it("removes the padding options of MMLU-Pro, but never the correct one", () => {
    const row = { question_id: 5, question: "Which?", category: "c", options: ["N/A", "a", " N/A ", "b"] };
    const [fields] = ask(mmluPro, { ...row, answer_index: 3 });
    expect(asked(fields).options.toSorted()).toEqual(["a", "b"]);
    expect(asked(fields).right).toBe("b");
    expect(ask(mmluPro, { ...row, answer_index: 0 })).toMatchObject([{ answer: "N/A" }]);
  });
});
