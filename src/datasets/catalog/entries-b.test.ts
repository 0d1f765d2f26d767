import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import type { Evaluator } from "../../core/evaluator.js";
import type { Example } from "../../core/example.js";
import { evaluatorFactories } from "../../evaluators/factories.js";
import { openRowFile, type RowFile } from "../row-file.js";
import { isBadRow, type RawRow } from "../source-row.js";
import { alpacaEvalFixture } from "./entries/alpaca-eval.fixture.js";
import { alpacaEval } from "./entries/alpaca-eval.js";
import { apigenFixture } from "./entries/apigen.fixture.js";
import { apigen } from "./entries/apigen.js";
import { bfclFixture } from "./entries/bfcl.fixture.js";
import { bfcl } from "./entries/bfcl.js";
import { contractNliFixture } from "./entries/contract-nli.fixture.js";
import { contractNli } from "./entries/contract-nli.js";
import { dialogsumFixture } from "./entries/dialogsum.fixture.js";
import { dialogsum } from "./entries/dialogsum.js";
import { govreportFixture } from "./entries/govreport.fixture.js";
import { govreport } from "./entries/govreport.js";
import { ifevalFixture } from "./entries/ifeval.fixture.js";
import { ifeval } from "./entries/ifeval.js";
import { infinitebenchFixture } from "./entries/infinitebench.fixture.js";
import { infinitebench } from "./entries/infinitebench.js";
import { longbenchFixture } from "./entries/longbench.fixture.js";
import { longbench } from "./entries/longbench.js";
import { longbenchV2Fixture } from "./entries/longbench-v2.fixture.js";
import { longbenchV2 } from "./entries/longbench-v2.js";
import { meetingbankFixture } from "./entries/meetingbank.fixture.js";
import { meetingbank } from "./entries/meetingbank.js";
import { mtBenchFixture } from "./entries/mt-bench.fixture.js";
import { mtBench } from "./entries/mt-bench.js";
import { multiNewsFixture } from "./entries/multi-news.fixture.js";
import { multiNews } from "./entries/multi-news.js";
import { nolimaFixture } from "./entries/nolima.fixture.js";
import { nolima } from "./entries/nolima.js";
import { qmsumFixture } from "./entries/qmsum.fixture.js";
import { qmsum } from "./entries/qmsum.js";
import { scifactFixture } from "./entries/scifact.fixture.js";
import { scifact } from "./entries/scifact.js";
import { summscreenfdFixture } from "./entries/summscreenfd.fixture.js";
import { summscreenfd } from "./entries/summscreenfd.js";
import { swebenchFixture } from "./entries/swebench.fixture.js";
import { swebench } from "./entries/swebench.js";
import { swebenchLiteFixture } from "./entries/swebench-lite.fixture.js";
import { swebenchLite } from "./entries/swebench-lite.js";
import { swebenchVerifiedFixture } from "./entries/swebench-verified.fixture.js";
import { swebenchVerified } from "./entries/swebench-verified.js";
import type { CatalogEntry, ExampleFields, HubSource, LineColumns, RowContext } from "./entry.js";
import type { Fixture, FixtureFile } from "./fixture.js";
import { openAlignedLines } from "./open-files.js";
import { RowProblem } from "./row-fields.js";

interface Case {
  name: string;
  entry: CatalogEntry;
  fixtures: readonly Fixture[];
}

const CASES: readonly Case[] = [
  { name: "multi-news", entry: multiNews, fixtures: multiNewsFixture },
  { name: "dialogsum", entry: dialogsum, fixtures: [dialogsumFixture] },
  { name: "qmsum", entry: qmsum, fixtures: qmsumFixture },
  { name: "summscreenfd", entry: summscreenfd, fixtures: [summscreenfdFixture] },
  { name: "meetingbank", entry: meetingbank, fixtures: [meetingbankFixture] },
  { name: "govreport", entry: govreport, fixtures: [govreportFixture] },
  { name: "contract-nli", entry: contractNli, fixtures: [contractNliFixture] },
  { name: "scifact", entry: scifact, fixtures: [scifactFixture] },
  { name: "ifeval", entry: ifeval, fixtures: [ifevalFixture] },
  { name: "alpaca-eval", entry: alpacaEval, fixtures: [alpacaEvalFixture] },
  { name: "mt-bench", entry: mtBench, fixtures: [mtBenchFixture] },
  { name: "longbench", entry: longbench, fixtures: longbenchFixture },
  { name: "longbench-v2", entry: longbenchV2, fixtures: longbenchV2Fixture },
  { name: "infinitebench", entry: infinitebench, fixtures: infinitebenchFixture },
  { name: "nolima", entry: nolima, fixtures: nolimaFixture },
  { name: "bfcl", entry: bfcl, fixtures: bfclFixture },
  { name: "apigen", entry: apigen, fixtures: [apigenFixture] },
  { name: "swebench", entry: swebench, fixtures: [swebenchFixture] },
  { name: "swebench-verified", entry: swebenchVerified, fixtures: [swebenchVerifiedFixture] },
  { name: "swebench-lite", entry: swebenchLite, fixtures: [swebenchLiteFixture] },
];

const folder = mkdtempSync(join(tmpdir(), "entries-b-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe.each(CASES)("$name", ({ entry, fixtures }) => {
  it.each(fixtures.map((fixture) => [fixture.config ?? "", fixture] as const))(
    "converts rows as expected: %s",
    async (_, fixture) => {
      const { rows, context } = await opened(entry, fixture);
      const made = rows.flatMap((row) => entry.examples(row, context));
      expect(made).toHaveLength(fixture.expected.length);
      for (const [index, expected] of fixture.expected.entries()) expect(made[index]).toMatchObject(expected);
    },
  );

  it("has no blank texts, and its subject and facets as fields", async () => {
    for (const made of await examplesOf({ entry, fixtures })) {
      const [turn] = (made.turns ?? []) as readonly { content: string }[];
      expect(made.context ?? made.question ?? turn?.content).toMatch(/\S/);
      for (const field of [entry.subject ?? [], entry.facets ?? []].flat()) expect(made[field]).toBeDefined();
    }
  });

  it("reads every column that it declares, and no other", async () => {
    const known = new Set([...entry.columns, ...(entry.optionalColumns ?? [])]);
    for (const fixture of fixtures) {
      const { rows, context } = await opened(entry, fixture);
      const [row] = rows;
      const kept = Object.fromEntries(Object.entries(row ?? {}).filter(([column]) => known.has(column)));
      expect(entry.examples(kept, context)).toEqual(entry.examples(row ?? {}, context));
      expect(Object.keys(row ?? {})).toEqual(expect.arrayContaining([...entry.columns]));
    }
  });
});

/** Datasets that need a model, or a response made for the instructions. */
const NOT_SCORED_HERE = new Set(["ifeval", "alpaca-eval", "mt-bench"]);
const SCORED = CASES.filter(({ name }) => !NOT_SCORED_HERE.has(name));

describe("scores", () => {
  it.each(SCORED)("$name: correct answers get the full score in the deciding field, wrong ones do not", async (one) => {
    for (const fixture of one.fixtures) {
      const { rows, context } = await opened(one.entry, fixture);
      const { evaluators, field } = scoringOf(one.entry, context.config);
      const evaluator = await evaluatorFactories[evaluators[0] ?? ""]?.(undefined);
      for (const fields of rows.flatMap((row) => one.entry.examples(row, context))) {
        const example = { ...fields, id: fields.id ?? "made-from-content" } as Example;
        expect(await scoreOf(evaluator, example, rightAnswer(example)), field).toMatchObject({ [field]: 1 });
        expect((await scoreOf(evaluator, example, 'Fog. [{"name": "x", "arguments": {}}]'))[field]).toBeLessThan(1);
      }
    }
  });
});

/** SWE-bench has no primary field: the field of its only evaluator is used. */
function scoringOf({ evaluators, primaryField }: CatalogEntry, config: string) {
  const field = typeof primaryField === "function" ? primaryField(config) : primaryField;
  return {
    evaluators: typeof evaluators === "function" ? evaluators(config) : evaluators,
    field: field ?? "levenshtein",
  };
}

async function scoreOf(evaluator: Evaluator | undefined, example: Example, response: string) {
  const scored = (await evaluator?.score(example, { response })) ?? {};
  return ("scores" in scored ? scored.scores : scored) as Record<string, number>;
}

/** The answer of a perfect system. */
function rightAnswer({ answer, answers, answer_index, tool_calls, ground_truth }: Example): string {
  if (typeof answer_index === "number") return "ABCD"[answer_index] ?? "";
  if (tool_calls !== undefined) return JSON.stringify(tool_calls);
  if (Array.isArray(ground_truth)) return JSON.stringify(ground_truth.map(firstAllowed));
  return answers?.[0] ?? answer ?? "";
}

/** A BFCL call with the first allowed value of each argument. */
function firstAllowed(call: Readonly<Record<string, Readonly<Record<string, readonly unknown[]>>>>) {
  const [[name, allowed] = ["", {}]] = Object.entries(call);
  const given = Object.entries(allowed).filter(([, values]) => values[0] !== "");
  return { name, arguments: Object.fromEntries(given.map(([argument, values]) => [argument, values[0]])) };
}

/** Values that must never become an empty gold: the dataset, replaced columns of the first row, and the column's name. */
const ODD: readonly [string, Readonly<Record<string, unknown>>, string][] = [
  ["multi-news", { summary: undefined }, "summary"],
  ["multi-news", { summary: ["S"] }, "summary"],
  ["multi-news", { document: undefined }, "document"],
  ["dialogsum", { summary: "" }, "summary"],
  ["qmsum", { output: null }, "output"],
  ["qmsum", { output: "" }, "output"],
  ["qmsum", { input: "No blank line here." }, "input"],
  ["qmsum", { input: "\n\nNo query." }, "input"],
  ["summscreenfd", { output: undefined }, "output"],
  ["meetingbank", { summary: undefined }, "summary"],
  ["govreport", { summary: "" }, "summary"],
  ["contract-nli", { output: "" }, "output"],
  ["contract-nli", { output: "Perhaps" }, "output"],
  ["scifact", { cited_doc_ids: [] }, "cited_doc_ids"],
  ["scifact", { cited_doc_ids: [999] }, "cited_doc_ids"],
  ["ifeval", { instruction_id_list: [] }, "instruction_id_list"],
  ["ifeval", { kwargs: [] }, "kwargs"],
  ["ifeval", { kwargs: null }, "kwargs"],
  ["alpaca-eval", { output: null }, "output"],
  ["alpaca-eval", { output: "" }, "output"],
  ["mt-bench", { prompt: [] }, "prompt"],
  ["mt-bench", { prompt: null }, "prompt"],
  ["longbench", { answers: [] }, "answers"],
  ["longbench", { answers: [" "] }, "answers"],
  ["longbench", { answers: null }, "answers"],
  ["longbench-v2", { answer: "E" }, "answer"],
  ["longbench-v2", { answer: null }, "answer"],
  ["longbench-v2", { choice_B: null }, "choice_B"],
  ["infinitebench", { answer: [] }, "answer"],
  ["infinitebench", { answer: null }, "answer"],
  ["nolima", { character_set: [] }, "character_set"],
  ["nolima", { tests: {} }, "tests"],
  ["nolima", { tests: { T: { input_args: [] } } }, "tests"],
  ["nolima", { questions: {} }, "questions"],
  ["bfcl", { id: "simple_99" }, "simple_99"],
  ["bfcl", { question: [] }, "question"],
  ["bfcl", { function: null }, "function"],
  ["apigen", { answers: "[]" }, "answers"],
  ["apigen", { answers: "no JSON" }, "answers"],
  ["apigen", { tools: null }, "tools"],
  ["swebench", { patch: "" }, "patch"],
  ["swebench", { FAIL_TO_PASS: null }, "FAIL_TO_PASS"],
];

describe("invalid rows", () => {
  it.each(ODD)("%s with %j is a bad row that names %s", async (name, replaced, column) => {
    const { entry, fixtures } = caseOf(name);
    const { rows, context } = await opened(entry, fixtures[0] as Fixture);
    const act = () => entry.examples({ ...rows[0], ...replaced }, context);
    expect(act).toThrow(RowProblem);
    expect(act).toThrow(column);
  });

  it("rejects a correct option of InfiniteBench that is not among the options", () => {
    const row = { id: 1, context: "…", input: "", options: ["a", "b", "c", "d"], answer: ["e"] };
    expect(() => infinitebench.examples(row, plain("code_debug"))).toThrow('"options"');
    expect(infinitebench.examples({ ...row, answer: ["…", "B"] }, plain("code_debug"))).toMatchObject({ answer: "b" });
  });

  it("finds the correct option of InfiniteBench among repeated options, or options that are letters", () => {
    const row = { id: 1, context: "…", input: "Which?" };
    const repeated = { ...row, options: [" a", "a ", "b", "c"], answer: ["a", "B"] };
    expect(infinitebench.examples(repeated, plain("longbook_choice_eng"))).toMatchObject({ answer: "a" });
    const letters = { ...row, options: ["B", "A", "C", "D"], answer: ["A", "A"] };
    expect(infinitebench.examples(letters, plain("longbook_choice_eng"))).toMatchObject({ answer: "A" });
  });

  it("keeps repeated results of math_calc, in a list or a nested list", () => {
    const row = { id: 1, context: "5 - 1 + 1 - 1", input: "" };
    for (const answer of [[4, 5, 4], ["4", "5", "4"], [[4, 5, 4]]])
      expect(infinitebench.examples({ ...row, answer }, plain("math_calc"))).toMatchObject({ answer: "[4, 5, 4]" });
    expect(() => infinitebench.examples({ ...row, answer: [[]] }, plain("math_calc"))).toThrow('"answer"');
    expect(() => infinitebench.examples({ ...row, answer: [[[4]]] }, plain("math_calc"))).toThrow("answer[0]");
  });

  it.each<[string, CatalogEntry, RawRow]>([
    ["an empty document", multiNews, { document: "", summary: "S" }],
    ["nothing but marks between articles", multiNews, { document: " ||||| |||||", summary: "S" }],
    ["a blank summary", multiNews, { document: "D", summary: " \n" }],
    ["no summary", meetingbank, { transcript: "T", summary: null }],
    ["a blank summary", meetingbank, { transcript: "T", summary: " " }],
    ["an empty transcript", meetingbank, { transcript: "", summary: "S" }],
  ])("leaves out a row with %s, after reading all rows (%#)", (_, entry, row) => {
    expect(entry.examples(row, plain(""))).toEqual([]);
    expect(entry.isExpanding).toBe(true);
  });

  it("rejects an unknown label of SciFact, and keeps all labels of a claim", async () => {
    const { rows, context } = await opened(scifact, scifactFixture);
    const relabelled = (label: string) => ({
      ...context,
      lookups: {
        ...context.lookups,
        claims: rows.map((row, at) => (at === 1 ? { ...row, evidence_label: label } : row)),
      },
    });
    expect(() => scifact.examples(rows[0] ?? {}, relabelled("MAYBE"))).toThrow("evidence_label");
    expect(scifact.examples(rows[0] ?? {}, relabelled("SUPPORT"))).toMatchObject({
      answers: ["CONTRADICT", "SUPPORT"],
    });
    expect(() => scifact.examples({ ...rows[2], evidence_label: null }, plain(""))).toThrow("evidence_label");
  });

  it("rejects an empty list of possible answers of BFCL if calls are expected", async () => {
    const { rows, context } = await opened(bfcl, bfclFixture[0] as Fixture);
    const lookups = { possible_answer: [{ id: "simple_0", ground_truth: [] }] };
    expect(() => bfcl.examples(rows[0] ?? {}, { ...context, lookups })).toThrow("ground_truth");
  });

  it("accepts Parquet's big integers as IFEval arguments", () => {
    const row = { key: 1n, prompt: "…", instruction_id_list: ["a"], kwargs: [{ num_words: 7n, relation: null }] };
    expect(ifeval.examples(row, plain(""))).toMatchObject({ id: 1, kwargs: [{ num_words: 7 }] });
  });
});

describe("tasks", () => {
  it.each([
    [longbench, 21],
    [infinitebench, 12],
    [bfcl, 10],
  ] as const)("have evaluators and a deciding field", (entry, count) => {
    expect(entry.configs?.names).toHaveLength(count);
    expect(entry.configs?.names).toContain(entry.configs?.default);
    for (const config of entry.configs?.names ?? []) {
      const { evaluators, primaryField } = entry;
      expect(typeof evaluators === "function" ? evaluators(config) : evaluators).not.toHaveLength(0);
      expect(typeof primaryField === "function" ? primaryField(config) : primaryField).toMatch(/^[a-z][a-z0-9_]+$/);
    }
  });
});

function caseOf(name: string): Case {
  const found = CASES.find((each) => each.name === name);
  if (found === undefined) throw new Error(`There is no case ${name}.`);
  return found;
}

function plain(config: string): RowContext {
  return { config, contentId: "made-from-content", lookups: {} };
}

async function examplesOf({ entry, fixtures }: Pick<Case, "entry" | "fixtures">): Promise<ExampleFields[]> {
  const made: ExampleFields[] = [];
  for (const fixture of fixtures) {
    const { rows, context } = await opened(entry, fixture);
    for (const row of rows) made.push(...[entry.examples(row, context)].flat());
  }
  return made;
}

/** The rows of a fixture's sources and lookups, as the file readers return them. */
async function opened(entry: CatalogEntry, fixture: Fixture): Promise<{ rows: RawRow[]; context: RowContext }> {
  const config = fixture.config ?? entry.configs?.default ?? "";
  const lookups: Record<string, RawRow[]> = {};
  for (const [name, source] of Object.entries(entry.lookups ?? {}))
    lookups[name] = await rowsOf(fixture, source(config));
  const rows = await Promise.all(entry.sources(config).map((source) => rowsOf(fixture, source)));
  return { rows: rows.flat(), context: { config, contentId: "made-from-content", lookups } };
}

async function rowsOf(fixture: Fixture, source: HubSource): Promise<RawRow[]> {
  const { files } = fixture;
  if (source.lines !== undefined) return sideBySide(files, source.lines);
  const paths = Object.keys(files).filter((path) => isOf(source, path));
  if (paths.length === 0 && source.fallback !== undefined) return rowsOf(fixture, source.fallback);
  expect(paths, JSON.stringify(source)).not.toHaveLength(0);
  const rows = await Promise.all(paths.map((path) => read(path, files[path] as FixtureFile, source)));
  return rows.flat();
}

/** Matches files by path, or by the hub's layout of a split. */
function isOf({ files = [], config = "default", split }: HubSource, path: string): boolean {
  const isNamed = files.some((file) => new RegExp(`^${file.split("*").map(escaped).join("[^/]*")}$`).test(path));
  if (isNamed || split === undefined) return isNamed;
  return [`${config}/${split}/`, `${config}/${split}-`, `data/${split}-`].some(
    (start) => path.startsWith(start) && path.endsWith(".parquet"),
  );
}

async function read(path: string, file: FixtureFile, { member = "" }: HubSource): Promise<RawRow[]> {
  if ("rows" in file) return [...file.rows];
  if ("zip" in file) return read(member, { text: file.zip[member] ?? "" }, {});
  const written = join(folder, basename(path));
  writeFileSync(written, file.text);
  return allRows(await openRowFile({ path: written }));
}

async function sideBySide(files: Fixture["files"], { columns, ...lines }: LineColumns): Promise<RawRow[]> {
  const written: Record<string, string> = {};
  for (const [column, path] of Object.entries(columns)) {
    const file = files[path];
    if (file === undefined || !("text" in file)) throw new Error(`There is no text ${path}.`);
    const place = join(folder, basename(path));
    writeFileSync(place, file.text);
    written[column] = place;
  }
  return allRows(openAlignedLines({ name: "texts", columns: written, ...lines }));
}

async function allRows(file: RowFile): Promise<RawRow[]> {
  const rows: RawRow[] = [];
  for await (const batch of file.batches()) for (const source of batch) if (!isBadRow(source)) rows.push(source.row);
  return rows;
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
