import { EXAMPLE_MODELS, getErrorMessage, UsageError } from "../../core/index.js";
import { type ConvertedPrompt, convertPrompts, selectPrompts } from "./prompts.js";
import { type ConvertedModel, convertProviders } from "./providers.js";
import {
  ConfigFiles,
  type ConversionNote,
  ConversionNotes,
  FileReferenceError,
  isMap,
  listParts,
  type Part,
  parseFileReference,
  resolveReferences,
  take,
} from "./source.js";
import { type ConvertedTest, checkOptions, convertTests } from "./tests.js";

/** Options of `convertPromptfoo`. */
export interface ConvertOptions {
  /** Reads files outside the config's folder, too. */
  readonly trust?: boolean;
}

/** A promptfoo config as files of an Assay project. Nothing is written yet. */
export interface ConvertedProject {
  /** The content of `assay.config.yaml`. */
  readonly config: Readonly<Record<string, unknown>>;
  /** By path: the text of the prompts and the tests. */
  readonly files: Readonly<Record<string, string>>;
  /** True if asserts need the plugin for JavaScript, Python and embeddings. */
  readonly needsPlugin: boolean;
  readonly notes: readonly ConversionNote[];
  readonly counts: {
    readonly prompts: number;
    readonly models: number;
    readonly tests: number;
    readonly graders: number;
  };
}

const DEFAULT_MODEL = EXAMPLE_MODELS.openaiSmall;

/** Top-level keys without a counterpart, and what to do instead. */
const OTHER_KEYS: Readonly<Record<string, string>> = {
  scenarios: "write each combination as a test",
  redteam: "red teaming has no counterpart",
  outputPath: "use --output json > FILE, or assay export",
  env: "set the variables in your shell; values are not copied",
  nunjucksFilters: "prompts have no filters. Compute columns",
  extensions: "write a plugin (docs/guides/plugins.md)",
  derivedMetrics: "write a metric in a plugin",
  commandLineOptions: "use flags of assay run",
  sharing: "use assay report latest --output html",
  writeLatestResults: "runs are always stored in .assay/runs",
  tags: "tags of the config have no counterpart",
  tracing: "there is no counterpart",
  metadata: "there is no counterpart",
};

const TAKEN_KEYS = new Set([
  "$schema",
  "description",
  "prompts",
  "providers",
  "targets",
  "tests",
  "defaultTest",
  "evaluateOptions",
  "assertionTemplates",
  "$refs",
]);

/**
 * Converts a promptfoo config to an Assay project; runs nothing, and lists what has no counterpart with its line.
 * @example
 * const { config, files, notes } = await convertPromptfoo("promptfooconfig.yaml");
 */
export async function convertPromptfoo(
  path: string,
  { trust = false }: ConvertOptions = {},
): Promise<ConvertedProject> {
  const files = new ConfigFiles(path, trust);
  const notes = new ConversionNotes();
  const root = await readRoot(path, files);
  noteOtherKeys(root, notes);
  const prompts = await convertPrompts(readPromptsPart(root), { files, notes });
  const models = convertProviders(
    root.value.providers === undefined ? take(root, "targets") : take(root, "providers"),
    notes,
  );
  const defaults = await readDefaults(take(root, "defaultTest"), files, notes);
  const hasTests = listParts(take(root, "tests")).length > 0;
  const testPart = hasTests ? take(root, "tests") : { ...root, value: [{}] };
  const tests = await convertTests(testPart, { files, notes, defaults, parsesJson: models.some(hasJsonSchema) });
  if (!hasTests)
    notes.add(root, "the config has no tests. One example without values is written; add rows to tests.jsonl");
  return buildProject({ root, prompts, models, tests, notes });
}

/** promptfoo sends `{{prompt}}` if a config has no prompts. */
function readPromptsPart(root: RootPart): Part {
  const part = take(root, "prompts");
  return part.value === undefined ? { ...part, value: [{ raw: "{{prompt}}", label: "prompt" }] } : part;
}

function hasJsonSchema({ model }: { model: ConvertedModel }): boolean {
  const format = model.extraBody?.response_format;
  return isMap(format) && format.type === "json_schema";
}

type RootPart = Part & { readonly value: Record<string, unknown> };

async function readRoot(path: string, files: ConfigFiles): Promise<RootPart> {
  const fail = (why: string) =>
    new UsageError(
      `${path} is not a promptfoo config: ${why.replace(/\.$/, "")}. Name a promptfooconfig.yaml or .json.`,
    );
  if (!/\.(?:ya?ml|json)$/i.test(path))
    throw fail("only YAML and JSON are read, because a config in code would have to be run");
  try {
    const source = await files.readTree(path.split(/[\\/]/).at(-1) ?? path);
    if (!isMap(source.value)) throw fail("it is not a map of keys");
    if (!["prompts", "providers", "targets", "tests"].some((key) => key in (source.value as object)))
      throw fail("it has neither prompts, providers nor tests");
    return { value: resolveReferences(source.value, source.value) as Record<string, unknown>, source, path: [] };
  } catch (error) {
    if (error instanceof FileReferenceError)
      throw new UsageError(`${error.message.replace(/\.$/, "")}.`, { cause: error });
    throw error;
  }
}

function noteOtherKeys(root: RootPart, notes: ConversionNotes): void {
  for (const key of Object.keys(root.value)) {
    if (TAKEN_KEYS.has(key)) continue;
    notes.add(take(root, key), `${key} is not taken over: ${OTHER_KEYS[key] ?? "it is unknown here"}`);
  }
  const options = take(root, "evaluateOptions");
  if (!isMap(options.value)) return;
  for (const key of Object.keys(options.value))
    if (!["maxConcurrency", "repeat", "showProgressBar", "cache"].includes(key))
      notes.add(take(options, key), `evaluateOptions.${key} is not taken over`);
}

async function readDefaults(part: Part, files: ConfigFiles, notes: ConversionNotes): Promise<Part> {
  const reference = parseFileReference(part.value);
  if (reference === null) {
    checkOptions(take(part, "options"), notes);
    return part;
  }
  try {
    const source = await files.readTree(reference);
    return { value: source.value, source, path: [] };
  } catch (error) {
    notes.add(part, `defaultTest is not taken over: ${getErrorMessage(error)}`);
    return { ...part, value: undefined };
  }
}

interface ProjectParts {
  root: RootPart;
  prompts: ConvertedPrompt[];
  models: { model: ConvertedModel; part: Part }[];
  tests: ConvertedTest[];
  notes: ConversionNotes;
}

/** Columns with a meaning of their own; variables of these names are renamed. */
const RESERVED = new Set([
  "id",
  "dataset",
  "graders",
  "threshold",
  "turns",
  "choices",
  "answers",
  "environment",
  "choice_order",
]);
/** Columns that must be text. */
const TEXT_COLUMNS = new Set(["context", "question", "answer"]);

/** The project must run whatever is left out, so that it can be completed step by step. */
function addStandIns({ root, prompts, tests, notes }: Pick<ProjectParts, "root" | "prompts" | "tests" | "notes">) {
  const columns = [...new Set(tests.flatMap(({ vars }) => Object.keys(vars)))];
  const variables = columns.length === 0 ? ["prompt"] : columns;
  const template = variables.map((name) => `{{${name}}}`).join("\n\n");
  if (prompts.length === 0) {
    notes.add(
      take(root, "prompts"),
      "no prompt is taken over; prompts/prompt.md with all columns stands in. Change it",
    );
    prompts.push({ name: "prompt", label: "prompt", template, variables });
  }
  if (tests.length > 0) return;
  notes.add(take(root, "tests"), "no test is taken over; one example stands in. Write rows to tests.jsonl");
  const own = prompts.flatMap((prompt) => prompt.variables);
  tests.push({ vars: Object.fromEntries(own.map((name) => [name, "Write a value here."])), graders: [] });
}

function buildProject({ root, prompts, models, tests, notes }: ProjectParts): ConvertedProject {
  const taken = { prompts: prompts.length, tests: tests.length };
  addStandIns({ root, prompts, tests, notes });
  if (models.length === 0)
    notes.add(
      take(root, "providers"),
      `no provider is taken over; ${DEFAULT_MODEL} stands in. Change it in assay.config.yaml`,
    );
  if (tests.some(({ graders }) => graders.length === 0))
    notes.add(take(root, "tests"), "tests without an assert pass if the model answers at all (grader completed)");
  const variables = new Set(prompts.flatMap((prompt) => prompt.variables));
  const empty = [...variables].filter((name) => tests.some(({ vars }) => readPath(vars, name) === undefined));
  if (empty.length > 0)
    notes.add(
      take(root, "tests"),
      `some tests lack ${empty.map((name) => `{{${name}}}`).join(", ")}; the column is written empty, as promptfoo would insert it`,
    );
  const examples = tests.map((test, index) => toExample(test, index, empty));
  const paths = prompts.map(
    (prompt) => `prompts/${prompt.name}${typeof prompt.template === "string" ? ".md" : ".json"}`,
  );
  const config = {
    ...(typeof root.value.description === "string" ? { title: root.value.description.trim() } : {}),
    models: models.length === 0 ? [DEFAULT_MODEL] : nameModels(models, { prompts, paths, notes }),
    prompts: paths,
    datasets: ["tests.jsonl"],
    ...convertRunOptions(root),
  };
  const text = examples.map((example) => JSON.stringify(example)).join("\n");
  return {
    config,
    files: {
      ...Object.fromEntries(prompts.map((prompt, index) => [paths[index] ?? "", formatPrompt(prompt)])),
      "tests.jsonl": `${text}\n`,
    },
    needsPlugin: text.includes('"type":"promptfoo-'),
    notes: notes.list(),
    counts: {
      prompts: taken.prompts,
      models: models.length,
      tests: taken.tests,
      graders: tests.reduce((total, { graders }) => total + graders.length, 0),
    },
  };
}

function convertRunOptions(root: RootPart): Record<string, unknown> {
  const { repeat, maxConcurrency } = isMap(root.value.evaluateOptions) ? root.value.evaluateOptions : {};
  return {
    ...(Number.isInteger(repeat) && (repeat as number) > 1 ? { trials: repeat } : {}),
    ...(Number.isInteger(maxConcurrency) && (maxConcurrency as number) > 0 ? { maxWorkers: maxConcurrency } : {}),
  };
}

function nameModels(
  models: ProjectParts["models"],
  { prompts, paths, notes }: { prompts: ConvertedPrompt[]; paths: string[]; notes: ConversionNotes },
): unknown[] {
  const used = new Map<string, number>();
  return models.map(({ model, part }) => {
    const wanted = selectPrompts(part, prompts);
    if (wanted?.length === 0)
      notes.add(take(part, "prompts"), "none of the prompts that it names is taken over; it gets all prompts");
    const own =
      wanted === null || wanted.length === 0 ? {} : { prompts: wanted.map((prompt) => paths[prompts.indexOf(prompt)]) };
    const title = model.name ?? model.model;
    const times = (used.get(title) ?? 0) + 1;
    used.set(title, times);
    const named = { ...model, ...own, ...(times > 1 ? { name: `${title}-${times}` } : {}) };
    const keys = Object.keys(named);
    return keys.length === 1 ? named.model : named;
  });
}

function toExample(
  { vars, graders, threshold, description, metadata }: ConvertedTest,
  index: number,
  empty: readonly string[],
) {
  const columns = Object.entries({ ...Object.fromEntries(empty.map((name) => [name, ""])), ...vars });
  const missing = (value: unknown) => (value === undefined || value === null ? "" : value);
  return {
    id: `test-${index + 1}`,
    ...(description === undefined ? {} : { description }),
    ...(metadata === undefined ? {} : { metadata }),
    ...Object.fromEntries(columns.map(([name, value]) => [renameColumn(name), toColumn(name, missing(value))])),
    graders: graders.length === 0 ? [{ type: "completed" }] : fixWeights(graders),
    ...(threshold === undefined ? {} : { threshold }),
  };
}

/** If every weight is 0, nothing fails a test. */
function fixWeights(graders: ConvertedTest["graders"]): readonly unknown[] {
  return graders.every(({ weight }) => weight === 0) ? [...graders, { type: "completed" }] : graders;
}

function renameColumn(name: string): string {
  return RESERVED.has(name) ? `${name}_var` : name;
}

function toColumn(name: string, value: unknown): unknown {
  if (!TEXT_COLUMNS.has(name) || typeof value === "string") return value;
  return JSON.stringify(value);
}

function readPath(vars: Readonly<Record<string, unknown>>, name: string): unknown {
  if (Object.hasOwn(vars, name)) return vars[name] ?? undefined;
  return name.split(".").reduce<unknown>((value, key) => (isMap(value) ? value[key] : undefined), vars) ?? undefined;
}

function formatPrompt({ template }: ConvertedPrompt): string {
  if (typeof template === "string") return `${renameVariables(template)}\n`;
  return `${JSON.stringify(
    template.map(({ role, content }) => ({ role, content: renameVariables(content) })),
    null,
    2,
  )}\n`;
}

function renameVariables(text: string): string {
  return text.replace(/\{\{\s*(\w+)(?=[\s.}])/g, (tag, name: string) => (RESERVED.has(name) ? `{{${name}_var` : tag));
}
