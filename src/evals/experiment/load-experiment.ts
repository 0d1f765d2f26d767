import { existsSync, readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import * as z from "zod";
import { canonicalJson, describeValue, didYouMean, getErrorMessage, UsageError } from "../../core/index.js";
import { JSON_SCHEMA_DRAFT, type JsonSchema, parseYaml, toJsonSchema, type YamlTree } from "../../utils/index.js";
import { ExperimentError, type ExperimentProblem, formatRelativePath, locateProblem } from "./experiment-error.js";
import { isSameDocument, isYamlMapping, PointerError, type PointerPath, parsePointer } from "./pointer.js";

/**
 * Reads an experiment file. The eval files it names are read when the experiment is planned.
 * @example
 * const experiment = await loadExperiment("experiment.yaml");
 * experiment.variants.map(({ name }) => name); // ["without-skill", "with-skill"]
 */
export async function loadExperiment(file: string): Promise<Experiment> {
  const tree = await readExperimentTree(file);
  const shape = createExperimentCheck()(tree.value);
  const found = [...tree.problems, ...shape.map((problem) => locateProblem(tree, problem))];
  if (found.length > 0) throw new ExperimentError(file, found);
  const { experiment, problems } = readExperiment(file, tree.value as RawExperiment);
  if (problems.length > 0)
    throw new ExperimentError(
      file,
      problems.map((problem) => locateProblem(tree, problem)),
    );
  return experiment;
}

export async function readExperimentTree(file: string): Promise<YamlTree> {
  const tree = await parseYaml(readExperimentText(file));
  if (tree.isBroken) throw new ExperimentError(file, tree.problems);
  return tree;
}

function readExperimentText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    const name = formatRelativePath(file);
    const isMissing = (cause as NodeJS.ErrnoException).code === "ENOENT";
    const problem = isMissing ? `There is no file ${name}.` : `${name} cannot be read: ${getErrorMessage(cause)}.`;
    throw new UsageError(`${problem} Name an experiment file.`, { cause });
  }
}

function readExperiment(file: string, raw: RawExperiment): { experiment: Experiment; problems: ExperimentProblem[] } {
  const dir = dirname(resolve(file));
  const { variants, problems } = parseVariants(raw, dir);
  const evals = [raw.eval].flat().map((path) => resolve(dir, path));
  const names = variants.map(({ name }) => name);
  const baseline = raw.baseline ?? (raw.matrix === undefined ? undefined : names[0]);
  const experiment: Experiment = {
    file: resolve(file),
    name: raw.name,
    description: raw.description ?? null,
    evals,
    baseline: baseline ?? "",
    vary: parseVary(raw),
    variants,
    runs: raw.runs ?? null,
    notes: collectExperimentNotes(raw, baseline),
  };
  const others = variants.length === 0 ? [] : [...findMissingKeys(raw), ...findEvalPathProblems(raw, experiment)];
  const unknown = variants.length === 0 || baseline === undefined ? null : checkBaselineName(baseline, names);
  return { experiment, problems: [...problems, ...others, ...(unknown === null ? [] : [unknown])] };
}

/** A matrix shows what it varies; with variants, `vary` is required. */
function parseVary({ vary, matrix = {} }: RawExperiment): PointerPath[] {
  return (vary ?? Object.keys(matrix)).map(parsePointer);
}

function findMissingKeys({ baseline, vary, variants }: RawExperiment): ExperimentProblem[] {
  if (variants === undefined) return [];
  const problems: ExperimentProblem[] = [];
  if (baseline === undefined)
    problems.push({ path: [], text: "baseline is missing: name the variant that the others are compared with." });
  if (vary === undefined)
    problems.push({ path: [], text: "vary is missing: list the JSON pointers at which variants may differ." });
  if (Object.keys(variants).length < 2)
    problems.push({ path: ["variants"], isAtKey: true, text: "one variant alone cannot be compared: add another." });
  return problems;
}

function findEvalPathProblems(raw: RawExperiment, { evals, variants }: Experiment): ExperimentProblem[] {
  const path = (index: number) => (Array.isArray(raw.eval) ? ["eval", index] : ["eval"]);
  const missing = evals.flatMap((file, i) =>
    existsSync(file) ? [] : [{ path: path(i), text: describeMissingFile(file) }],
  );
  return [...missing, ...variants.flatMap((variant) => findVariantEvalProblems(variant, evals.length))];
}

function findVariantEvalProblems({ name, evals }: Variant, count: number): ExperimentProblem[] {
  if (evals === null) return [];
  const path = ["variants", name, "eval"];
  const missing = evals.filter((file) => !existsSync(file)).map((file) => ({ path, text: describeMissingFile(file) }));
  if (evals.length === count) return missing;
  return [
    ...missing,
    {
      path,
      text: `${name} has ${evals.length} eval files, but the experiment has ${count}: they are matched by position.`,
    },
  ];
}

function describeMissingFile(file: string): string {
  return `eval file ${formatRelativePath(file)} does not exist. Paths are relative to the folder of the experiment file.`;
}

function collectExperimentNotes({ baseline, matrix }: RawExperiment, chosen: string | undefined): string[] {
  return matrix !== undefined && baseline === undefined && chosen !== undefined
    ? [`no baseline is named: the first combination is used (${chosen})`]
    : [];
}

/** More variants than this are most likely a mistake in the matrix. */
const MAX_VARIANTS = 64;

interface ParsedVariants {
  readonly variants: readonly Variant[];
  readonly problems: readonly ExperimentProblem[];
}

/** Paths of eval files are relative to `dir`. */
function parseVariants({ variants, matrix }: RawExperiment, dir: string): ParsedVariants {
  if (variants !== undefined && matrix !== undefined)
    return rejectVariants({
      path: ["matrix"],
      isAtKey: true,
      text: "variants and matrix cannot be combined: keep one of them.",
    });
  if (matrix !== undefined) return expandMatrix(matrix);
  if (variants !== undefined) return parseNamedVariants(variants, dir);
  return rejectVariants({ path: [], text: "nothing to compare: add variants or matrix." });
}

function rejectVariants(...problems: ExperimentProblem[]): ParsedVariants {
  return { variants: [], problems };
}

function parseNamedVariants(variants: Readonly<Record<string, RawVariant>>, dir: string): ParsedVariants {
  const entries = Object.entries(variants);
  if (entries.length === 0)
    return rejectVariants({
      path: ["variants"],
      isAtKey: true,
      text: "variants is empty: add the baseline and at least one other variant.",
    });
  if (entries.length > MAX_VARIANTS) return rejectVariants(reportTooManyVariants(["variants"], entries.length));
  const problems = entries.flatMap(([name, raw]) => findVariantProblems(name, raw));
  if (problems.length > 0) return rejectVariants(...problems);
  return { variants: entries.map(([name, raw]) => buildVariant(name, raw ?? {}, dir)), problems: [] };
}

function findVariantProblems(name: string, raw: RawVariant): ExperimentProblem[] {
  const path = ["variants", name];
  const wrongName = checkVariantName(name);
  if (wrongName !== null) return [{ path, isAtKey: true, text: wrongName }];
  if (raw === null) return [];
  if (!isYamlMapping(raw))
    return [{ path, text: `${name} must be a mapping of JSON pointers to values, or {} for the unchanged eval.` }];
  return Object.entries(raw).flatMap(([key, value]) => {
    const text = key === "eval" ? checkEvalPaths(value) : checkVariantKey(key);
    return text === null ? [] : [{ path: [...path, key], isAtKey: true, text: `${name}: ${text}.` }];
  });
}

/** Names are shown in tables and in one-line messages. */
function checkVariantName(name: string): string | null {
  if (name.trim() === "") return "a variant needs a name.";
  const shown = JSON.stringify(name);
  if (/[\n\r\v\f\u0085\u2028\u2029]/.test(name))
    return `the variant name ${shown} contains a line break: write it on one line.`;
  if (/\p{Cc}/u.test(name)) return `the variant name ${shown} contains a control character: remove it.`;
  return null;
}

function checkVariantKey(key: string): string | null {
  if (key.startsWith("/")) return checkPointer(key);
  return `"${key}" is not a JSON pointer: write /${key.replaceAll(".", "/")}, or eval to use another eval file`;
}

function checkEvalPaths(value: unknown): string | null {
  const paths = Array.isArray(value) ? value : [value];
  const isRight = paths.length > 0 && paths.every((path) => typeof path === "string" && path !== "");
  return isRight ? null : "eval must be the path of an eval file, or a list of paths";
}

function buildVariant(name: string, raw: Readonly<Record<string, unknown>>, dir: string): Variant {
  const { eval: own, ...settings } = raw;
  return {
    name,
    evals: own === undefined ? null : ([own].flat() as string[]).map((path) => resolve(dir, path)),
    settings: Object.entries(settings).map(([pointer, value]) => parseSetting(pointer, value)),
    isCombination: false,
  };
}

function parseSetting(pointer: string, value: unknown): Setting {
  return { path: parsePointer(pointer), value };
}

function expandMatrix(matrix: Readonly<Record<string, readonly unknown[]>>): ParsedVariants {
  const axes = Object.entries(matrix);
  if (axes.length === 0)
    return rejectVariants({
      path: ["matrix"],
      isAtKey: true,
      text: "the matrix is empty: give a pointer a list of values.",
    });
  const problems = axes.flatMap(([pointer, values]) => checkMatrixAxis(pointer, values));
  if (problems.length > 0) return rejectVariants(...problems);
  const count = axes.reduce((product, [, values]) => product * values.length, 1);
  if (count > MAX_VARIANTS) return rejectVariants(reportTooManyVariants(["matrix"], count));
  const combinations = axes.reduce<Setting[][]>(
    (all, [pointer, values]) => all.flatMap((one) => values.map((value) => [...one, parseSetting(pointer, value)])),
    [[]],
  );
  const names = numberDuplicateNames(combinations.map(formatVariantName));
  return {
    variants: combinations.map((settings, i) => ({ name: names[i] ?? "", evals: null, settings, isCombination: true })),
    problems: [],
  };
}

function checkMatrixAxis(pointer: string, values: unknown): ExperimentProblem[] {
  const path = ["matrix", pointer];
  const text = pointer.startsWith("/") ? checkPointer(pointer) : checkVariantKey(pointer);
  if (text !== null) return [{ path, isAtKey: true, text: `matrix: ${text}.` }];
  if (!Array.isArray(values) || values.length === 0)
    return [{ path, text: `matrix: ${pointer} needs a list of values to try.` }];
  const twice = values.findIndex((value, i) => values.slice(0, i).some((other) => isSameDocument(other, value)));
  return twice === -1 ? [] : [{ path: [...path, twice], text: `matrix: ${pointer} lists this value twice.` }];
}

function reportTooManyVariants(path: readonly string[], count: number): ExperimentProblem {
  return { path, isAtKey: true, text: `${count} variants are too many: the maximum is ${MAX_VARIANTS}.` };
}

function checkBaselineName(baseline: string, names: readonly string[]): ExperimentProblem | null {
  if (names.includes(baseline)) return null;
  return { path: ["baseline"], text: `unknown variant "${baseline}".${didYouMean(baseline, names)}` };
}

/** Longer values, such as prompts, are cut in names. */
const MAX_LABEL_LENGTH = 40;

/**
 * Names a combination of a matrix by its values.
 * @example
 * formatVariantName([{ path: ["defaults", "model"], value: "gpt-6-sol" }, { path: ["environment", "skills"], value: [] }]);
 * // "gpt-6-sol,no-skills"
 */
function formatVariantName(settings: readonly Setting[]): string {
  return settings.map(formatSettingLabel).join(",");
}

function numberDuplicateNames(names: readonly string[]): string[] {
  const taken = new Set<string>();
  return names.map((name) => {
    let own = name;
    for (let copy = 2; taken.has(own); copy++) own = `${name}#${copy}`;
    taken.add(own);
    return own;
  });
}

/** Text is shown as it is; numbers and lists need their key to be understood. */
function formatSettingLabel({ path, value }: Setting): string {
  const key = path.at(-1) ?? "";
  if (isEmptySetting(value)) return `no-${key}`;
  return shortenLabel(typeof value === "string" ? value : `${key}=${formatSettingValue(value)}`);
}

function isEmptySetting(value: unknown): boolean {
  if (Array.isArray(value)) return value.length === 0;
  return value === null || (isYamlMapping(value) && Object.keys(value).length === 0);
}

function formatSettingValue(value: unknown): string {
  return Array.isArray(value)
    ? value.map(formatSettingValue).join("+")
    : typeof value === "string"
      ? value
      : canonicalJson(value);
}

function shortenLabel(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= MAX_LABEL_LENGTH ? line : `${line.slice(0, MAX_LABEL_LENGTH - 1)}…`;
}

type RawExperiment = z.output<ReturnType<typeof experimentSchema>>;

/** JSON pointers with values, and optionally `eval`; null for a variant that changes nothing. */
type RawVariant = Readonly<Record<string, unknown>> | null;

type ExperimentCheck = (value: unknown) => ExperimentProblem[];

/** Strict: an unknown key would otherwise be a setting that is silently ignored. */
function createExperimentCheck(): ExperimentCheck {
  const schema = experimentSchema();
  const known = Object.keys(schema.shape);
  return (value) =>
    (schema.safeParse(value).error?.issues ?? []).flatMap((issue): ExperimentProblem[] => {
      const path = issue.path.map((key) => (typeof key === "number" ? key : String(key)));
      if (issue.code === "unrecognized_keys") return issue.keys.map((key) => reportUnknownKey(key, known));
      return [{ path, text: `${path.join(".")} ${issue.message}.`.trim() }];
    });
}

function reportUnknownKey(key: string, known: readonly string[]): ExperimentProblem {
  const hint = key.startsWith("/") ? " Write JSON pointers inside a variant or matrix." : didYouMean(key, known);
  return { path: [key], isAtKey: true, text: `unknown key "${key}".${hint}` };
}

function experimentSchema() {
  const text = (missing = "is missing") =>
    z
      .string({ error: ({ input }) => (input === undefined ? missing : describeNonText(input)) })
      .regex(/\S/, { error: ({ input }) => describeNonText(input) });
  const noPath = "must be the path of an eval file, or a list of paths";
  const path = z.union([z.string().regex(/\S/), z.array(z.string().regex(/\S/)).min(1)], {
    error: ({ input }) => (input === undefined ? "is missing: name the eval file" : noPath),
  });
  const noPointers = "must be a list of JSON pointers such as /environment/skills";
  const variant = z.unknown().meta({
    type: ["object", "null"],
    properties: { eval: { type: ["string", "array"], description: "An eval file for this variant, or several." } },
    propertyNames: { pattern: "^(/.|eval$)" },
  }) as z.ZodType<RawVariant>;
  const values = z.unknown().meta({ type: "array", minItems: 1, uniqueItems: true }) as z.ZodType<readonly unknown[]>;
  return z.strictObject(
    {
      /** The name of the experiment in reports. */
      name: text("is missing: name the experiment"),
      /** What the experiment is about. */
      description: text().optional(),
      /** The eval file, or several. Paths are relative to the folder of this file. */
      eval: path,
      /** The variant that the others are compared with. Default with a matrix: the first combination. */
      baseline: text().optional(),
      /** JSON pointers into the eval file, such as /environment/skills, at which variants may differ. */
      vary: z
        .array(z.string(noPointers), noPointers)
        .min(1, noPointers)
        .superRefine((pointers, context) => {
          const [message] = pointers.flatMap((pointer) => checkPointer(pointer) ?? []);
          if (message !== undefined) context.addIssue({ code: "custom", message });
        })
        .optional(),
      /** Each variant by name: JSON pointers into the eval file with the values that it changes. */
      variants: z
        .record(z.string(), variant, "must be a mapping: the name of each variant, with its settings")
        .optional(),
      /** JSON pointers, each with a list of values. Every combination is a variant. */
      matrix: z.record(z.string(), values, "must be a mapping: JSON pointers, each with a list of values").optional(),
      /** Trials of each test case in each variant. Default: the value of the eval file. */
      runs: z.number(RUNS_MESSAGE).int(RUNS_MESSAGE).min(1, RUNS_MESSAGE).optional(),
    },
    { error: () => "The file must be a mapping with name, eval, baseline, vary and variants or matrix" },
  );
}

const RUNS_MESSAGE = "must be a whole number of at least 1";

function describeNonText(value: unknown): string {
  return `must be text, not ${describeValue(value)}`;
}

/**
 * Builds the JSON Schema of experiment files, for editors.
 * @example
 * const schema = buildExperimentJsonSchema();
 */
export function buildExperimentJsonSchema(): JsonSchema {
  return {
    $schema: JSON_SCHEMA_DRAFT,
    title: "Assay experiment",
    description: "Compares variants of an eval.",
    ...toJsonSchema(experimentSchema()),
    oneOf: [{ required: ["variants", "baseline", "vary"] }, { required: ["matrix"] }],
  };
}

/** Returns null when the pointer can be varied. */
function checkPointer(pointer: string): string | null {
  try {
    return parsePointer(pointer).length === 0 ? `"${pointer}" is the whole document: name a part of it` : null;
  } catch (error) {
    if (!(error instanceof PointerError)) throw error;
    return `"${pointer}" ${error.message}`;
  }
}

/** An experiment file, read and checked: what is varied, and how. */
export interface Experiment {
  readonly file: string;
  readonly name: string;
  readonly description: string | null;
  /** Absolute paths of the eval files. */
  readonly evals: readonly string[];
  /** The variant that the others are compared with. */
  readonly baseline: string;
  /** Paths in the eval document at which variants may differ. */
  readonly vary: readonly PointerPath[];
  readonly variants: readonly Variant[];
  /** Trials of each test case; null to use the value of the eval files. */
  readonly runs: number | null;
  readonly notes: readonly string[];
}

/** One way of running the evals of an experiment. */
export interface Variant {
  readonly name: string;
  /** Eval files of this variant, in the order of the experiment's; null to use those of the experiment. */
  readonly evals: readonly string[] | null;
  readonly settings: readonly Setting[];
  /** True for a combination of a matrix, which has no line of its own in the file. */
  readonly isCombination: boolean;
}

/** A path in an eval document and the value to set there; null removes the value. */
export interface Setting {
  readonly path: PointerPath;
  readonly value: unknown;
}
