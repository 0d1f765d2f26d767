import type { GraderSpec } from "../../core/index.js";
import { closeFiles, isBadRow, openRowFile } from "../../datasets/index.js";
import { convertAsserts } from "./asserts.js";
import { parseExpected } from "./expected.js";
import {
  type ConfigFiles,
  type ConversionNotes,
  FileReferenceError,
  getExtension,
  isMap,
  listParts,
  type Part,
  parseFileReference,
  type SourceFile,
  take,
} from "./source.js";

/** A test of a promptfoo config as an example with graders. */
export interface ConvertedTest {
  readonly vars: Readonly<Record<string, unknown>>;
  readonly graders: readonly GraderSpec[];
  readonly threshold?: number;
  readonly description?: string;
  readonly metadata?: unknown;
}

export interface TestContext {
  readonly files: ConfigFiles;
  readonly notes: ConversionNotes;
  /** What every test gets. */
  readonly defaults: Part;
  /** True if scripts get the answer as parsed JSON. */
  readonly parsesJson: boolean;
}

/** Converts tests; values that are lists give a test for each combination. */
export async function convertTests(part: Part, context: TestContext): Promise<ConvertedTest[]> {
  const tests: ConvertedTest[] = [];
  for (const one of await expandTests(part, context)) tests.push(...(await convertTest(one, context)));
  return tests;
}

/** Replaces references to files by the tests in them. */
async function expandTests(part: Part, context: TestContext): Promise<Part[]> {
  const found: Part[] = [];
  for (const one of listParts(part)) {
    const given = isMap(one.value) && one.value.path !== undefined ? one.value.path : one.value;
    if (typeof given !== "string") found.push(one);
    else found.push(...(await readTestFiles(parseFileReference(given) ?? given, one, context)));
  }
  return found;
}

const ROW_EXTENSIONS = new Set([".csv", ".tsv", ".jsonl"]);
const TREE_EXTENSIONS = new Set([".yaml", ".yml", ".json"]);

async function readTestFiles(path: string, part: Part, { files, notes }: TestContext): Promise<Part[]> {
  const refuse = (why: string) => notes.add(part, `these tests are not taken over: ${why.replace(/\.$/, "")}`);
  const extension = getExtension(path);
  if (!ROW_EXTENSIONS.has(extension) && !TREE_EXTENSIONS.has(extension)) {
    refuse(
      /^(?:https?|huggingface):/.test(path)
        ? `${path} is not a file. Use a dataset of Assay, or save it as a file`
        : `${path} is neither CSV, JSON, JSONL nor YAML. Write its rows to tests.jsonl`,
    );
    return [];
  }
  try {
    const parts: Part[] = [];
    for (const file of await files.find(path)) parts.push(...(await readTestFile(file, files)));
    if (parts.length === 0) refuse(`${path} has no tests`);
    return parts;
  } catch (error) {
    if (!(error instanceof FileReferenceError)) throw error;
    refuse(error.message);
    return [];
  }
}

async function readTestFile(file: string, files: ConfigFiles): Promise<Part[]> {
  if (!ROW_EXTENSIONS.has(getExtension(file))) {
    const source = await files.readTree(file);
    return listParts({ value: source.value, source, path: [] });
  }
  const isTable = getExtension(file) !== ".jsonl";
  const full = files.resolve(file);
  files.readText(file);
  const rows = await openRowFile({ path: full });
  const parts: Part[] = [];
  try {
    for await (const batch of rows.batches()) {
      for (const source of batch) {
        if (isBadRow(source))
          throw new FileReferenceError(`${files.getName(file)}:${source.line}: the row ${source.problem}`);
        const place: SourceFile = { name: files.getName(file), value: null, line: () => source.line };
        parts.push({
          value: isTable ? parseExpected(source.row as Record<string, string>) : source.row,
          source: place,
          path: [],
        });
      }
    }
  } finally {
    await closeFiles([rows]);
  }
  return parts;
}

/** Keys of a test that have no counterpart. */
const OTHER_TEST_KEYS: Readonly<Record<string, string>> = {
  provider: "use a dataset of its own for it",
  providers: "use a dataset of its own for it",
  prompts: "use a dataset of its own for it",
  providerOutput: "use --replay for recorded outputs",
  assertScoringFunction: "use weights and a threshold",
};

async function convertTest(part: Part, context: TestContext): Promise<ConvertedTest[]> {
  const { notes, defaults } = context;
  if (!isMap(part.value)) {
    notes.add(part, "this test is not taken over: it is not a map with vars and assert");
    return [];
  }
  for (const [key, instead] of Object.entries(OTHER_TEST_KEYS))
    if (part.value[key] !== undefined) notes.add(take(part, key), `${key} of a test is not taken over: ${instead}`);
  checkOptions(take(part, "options"), notes);
  const own = await readVars(take(part, "vars"), context);
  const usual = await readVars(take(defaults, "vars"), context);
  if (own === null || usual === null) return [];
  const { description, threshold = take(defaults, "threshold").value, metadata } = part.value;
  const tests: ConvertedTest[] = [];
  const { disableVarExpansion, disableDefaultAsserts } = readOptions(part, defaults);
  const given = { ...usual, ...own };
  for (const raw of disableVarExpansion === true ? [given] : multiply(given)) {
    const vars = nestVars(raw, part, notes);
    const { files, parsesJson } = context;
    const asserts = { files, notes, vars, parsesJson, ...readGradingModels(part, defaults) };
    const graders = [
      ...(disableDefaultAsserts === true ? [] : await convertAsserts(take(defaults, "assert"), asserts)),
      ...(await convertAsserts(take(part, "assert"), asserts)),
    ];
    tests.push({
      vars,
      graders,
      ...(typeof threshold === "number" && threshold >= 0 && threshold <= 1 ? { threshold } : {}),
      ...(typeof description === "string" ? { description } : {}),
      ...(metadata === undefined ? {} : { metadata }),
    });
  }
  return tests;
}

const KNOWN_OPTIONS = new Set(["provider", "disableVarExpansion", "disableDefaultAsserts"]);

/** The options of the test, and those that every test has. */
function readOptions(part: Part, defaults: Part): Record<string, unknown> {
  const [usual, own] = [defaults, part].map((from) => take(from, "options").value);
  return { ...(isMap(usual) ? usual : {}), ...(isMap(own) ? own : {}) };
}

/** A value may name other values, as in `greeting: "Hello {{name}}"`. A prompt inserts texts as they are, so this is done here. */
function nestVars(
  vars: Readonly<Record<string, unknown>>,
  part: Part,
  notes: ConversionNotes,
): Record<string, unknown> {
  const insert = (value: unknown, depth: number): unknown =>
    typeof value !== "string"
      ? value
      : value.replace(/\{\{\s*([\w$-]+)\s*\}\}/g, (text, name: string) => {
          const other = Object.hasOwn(vars, name) ? vars[name] : undefined;
          if (other === undefined || depth === 0) return text;
          return typeof other === "object" ? JSON.stringify(other) : String(insert(other, depth - 1));
        });
  const nested = Object.fromEntries(Object.entries(vars).map(([name, value]) => [name, insert(value, MAX_NESTING)]));
  const left = Object.keys(nested).find((name) => typeof nested[name] === "string" && /\{\{|\{%/.test(nested[name]));
  if (left !== undefined)
    notes.add(
      take(part, "vars"),
      `the template in the value of ${left} is not taken over: it is sent as it is. Write the text itself`,
    );
  return nested;
}

/** Values that name each other end here. */
const MAX_NESTING = 5;

export function checkOptions(options: Part, notes: ConversionNotes): void {
  if (!isMap(options.value)) return;
  for (const key of Object.keys(options.value))
    if (!KNOWN_OPTIONS.has(key))
      notes.add(
        take(options, key),
        `the option ${key} is not taken over: ${/prefix|suffix/.test(key) ? "write it into the prompt" : /transform|postprocess/.test(key) ? "asserts see the answer as it is" : "it has no counterpart"}`,
      );
}

function readGradingModels(part: Part, defaults: Part): { judge?: string; embedding?: string } {
  const found: { judge?: string; embedding?: string } = {};
  for (const from of [defaults, part]) {
    const { value } = take(take(from, "options"), "provider");
    const text = isMap(value) ? (value.text ?? value.id) : value;
    const id = isMap(text) ? text.id : text;
    if (typeof id === "string") found.judge = id;
    const embedding = isMap(value) ? value.embedding : undefined;
    const other = isMap(embedding) ? embedding.id : embedding;
    if (typeof other === "string") found.embedding = other;
  }
  return found;
}

async function readVars(part: Part, { files, notes }: TestContext): Promise<Record<string, unknown> | null> {
  const reference = typeof part.value === "string" ? (parseFileReference(part.value) ?? part.value) : null;
  try {
    const given = reference === null ? part : { ...part, value: (await files.readTree(reference)).value };
    if (given.value === undefined || given.value === null) return {};
    if (!isMap(given.value)) throw new FileReferenceError("vars is not a map");
    const vars: Record<string, unknown> = {};
    for (const [name, value] of Object.entries(given.value)) vars[name] = await readVar(value, files);
    return vars;
  } catch (error) {
    if (!(error instanceof FileReferenceError)) throw error;
    notes.add(part, `this test is not taken over: ${error.message.replace(/\.$/, "")}`);
    return null;
  }
}

async function readVar(value: unknown, files: ConfigFiles): Promise<unknown> {
  if (Array.isArray(value)) return Promise.all(value.map((item) => readVar(item, files)));
  if (typeof value === "string" && /\{\{\s*env\./.test(value))
    throw new FileReferenceError("a value comes from the environment, and is not copied. Write it to the data");
  const reference = parseFileReference(value);
  if (reference === null) return value;
  const extension = getExtension(reference);
  if ([".json", ".yaml", ".yml"].includes(extension)) return (await files.readTree(reference)).value;
  const isText = [".txt", ".md", ".html", ".xml", ".csv", ".log", ".diff", ".patch", ".sql", ""].includes(extension);
  if (isText) return files.readText(reference);
  throw new FileReferenceError(`${reference} is not text. Write what it gives to the data`);
}

/** One map for each combination of the values that are lists. */
function multiply(vars: Readonly<Record<string, unknown>>): Record<string, unknown>[] {
  let all: Record<string, unknown>[] = [{}];
  for (const [name, value] of Object.entries(vars)) {
    const values: unknown[] = Array.isArray(value) ? value : [value];
    all = all.flatMap((one) => values.map((item) => ({ ...one, [name]: item })));
    if (all.length > MAX_COMBINATIONS)
      throw new FileReferenceError(`its lists give more than ${MAX_COMBINATIONS} combinations`);
  }
  return all;
}

const MAX_COMBINATIONS = 100_000;
