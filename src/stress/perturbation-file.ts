import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import {
  describeValue,
  didYouMean,
  digest,
  type Example,
  getErrorMessage,
  getExampleKey,
  isChoiceOrder,
  UsageError,
} from "../core/index.js";
import { PARAPHRASE_VERSION, type Paraphraser } from "./paraphrase.js";
import {
  getTaskText,
  PERTURBATION_KINDS,
  type PerturbationKind,
  perturbByRule,
  type Rewording,
  RULES_VERSION,
} from "./perturb.js";

const SCHEMA = "assay.perturbation/1";

/** One line of a perturbation file: a reworded example. */
interface PerturbationLine {
  readonly schema: typeof SCHEMA;
  /** Of the rule, or of the instruction for the model. */
  readonly version: number;
  readonly seed: number;
  readonly dataset: string;
  readonly id: string | number;
  readonly kind: PerturbationKind;
  readonly text: string;
  readonly choice_order?: readonly number[];
  /** SHA-256 of the original task. */
  readonly original: string;
  /** The model that wrote a paraphrase. */
  readonly model?: string;
}

/** The frozen perturbations of a stress test. */
export interface FrozenPerturbations {
  /** By kind and example. Absent where a kind changes nothing. */
  readonly byKind: ReadonlyMap<PerturbationKind, ReadonlyMap<string, Rewording>>;
  /** What the reader should know, such as examples that a kind does not change. */
  readonly notes: readonly string[];
}

export interface FreezeOptions {
  readonly file: string;
  readonly kinds: readonly PerturbationKind[];
  readonly examples: readonly Example[];
  readonly seed: number;
  /** Null if no model is given: paraphrases then have to be in the file. */
  readonly paraphraser: Paraphraser | null;
  readonly signal?: AbortSignal;
  /** Called after each paraphrase. */
  readonly onParaphrase?: (done: number, total: number) => void;
  /** Writes nothing and calls no model. */
  readonly isPlan?: boolean;
}

/** Parses names of perturbations. */
export function parsePerturbations(names: readonly string[]): PerturbationKind[] {
  return names.map((name, at) => {
    const kind = PERTURBATION_KINDS.find((known) => known === name);
    if (kind === undefined)
      throw new UsageError(`Unknown perturbation ${JSON.stringify(name)}.${didYouMean(name, PERTURBATION_KINDS)}`);
    if (names.indexOf(name) < at) throw new UsageError(`The perturbation ${name} is given twice. Name each once.`);
    return kind;
  });
}

/** Identifies what is reworded. */
export function hashTask(example: Example): string {
  return digest({ text: getTaskText(example), choices: example.choices ?? null });
}

/** Reads the perturbations of the file, makes those that are missing, and adds them to it. */
export async function freezePerturbations(options: FreezeOptions): Promise<FrozenPerturbations> {
  const { file, kinds, examples } = options;
  const stored = readPerturbationFile(file);
  const byKind = new Map<PerturbationKind, Map<string, Rewording>>();
  for (const kind of kinds) {
    const rewordings = new Map<string, Rewording>();
    const missing: Example[] = [];
    for (const example of examples) {
      const line = stored.get(formatLineKey({ kind, dataset: example.dataset ?? "", id: example.id }));
      if (line === undefined) missing.push(example);
      else rewordings.set(getExampleKey(example), toRewording(line, example, file));
    }
    for await (const [example, line] of makeLines(kind, missing, options)) {
      if (options.isPlan !== true) appendLine(file, line);
      rewordings.set(getExampleKey(example), toRewording(line, example, file));
    }
    byKind.set(kind, rewordings);
  }
  return { byKind, notes: describeCoverage(byKind, options) };
}

async function* makeLines(
  kind: PerturbationKind,
  missing: readonly Example[],
  options: FreezeOptions,
): AsyncGenerator<[Example, PerturbationLine]> {
  if (kind === "paraphrase") {
    yield* makeParaphrases(missing, options);
    return;
  }
  for (const example of missing) {
    const made = perturbByRule(example, kind, options.seed);
    if (made !== null) yield [example, toLine(example, { ...made, kind, version: RULES_VERSION, seed: options.seed })];
  }
}

async function* makeParaphrases(
  missing: readonly Example[],
  { file, examples, seed, paraphraser, signal, onParaphrase, isPlan }: FreezeOptions,
): AsyncGenerator<[Example, PerturbationLine]> {
  const asked = missing.filter((example) => getTaskText(example) !== null);
  if (asked.length === 0) return;
  if (paraphraser === null)
    throw new UsageError(
      `Paraphrases are written by a model, and ${file} has none for ${asked.length} of ${examples.length} examples. Add --perturb-model PROVIDER/MODEL, or use rules that need no model, such as --perturb typos,reorder.`,
    );
  const made = { kind: "paraphrase", version: PARAPHRASE_VERSION, seed, model: paraphraser.model } as const;
  for (const [at, example] of asked.entries()) {
    // A plan only needs the length of the task.
    const text = isPlan === true ? (getTaskText(example) ?? "") : await paraphraser.paraphrase(example, signal);
    onParaphrase?.(at + 1, asked.length);
    yield [example, toLine(example, { ...made, text })];
  }
}

type MadeRewording = Rewording & Pick<PerturbationLine, "kind" | "version" | "seed" | "model">;

function toLine(example: Example, { kind, version, seed, text, choiceOrder, model }: MadeRewording): PerturbationLine {
  return {
    schema: SCHEMA,
    version,
    seed,
    dataset: example.dataset ?? "",
    id: example.id,
    kind,
    text,
    ...(choiceOrder !== undefined && { choice_order: choiceOrder }),
    original: hashTask(example),
    ...(model !== undefined && { model }),
  };
}

/** Each at once, so that an interrupted command has lost no paraphrase. */
function appendLine(file: string, line: PerturbationLine): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    appendFileSync(file, `${JSON.stringify(line)}\n`);
  } catch (cause) {
    throw new UsageError(
      `The perturbations cannot be written to ${file}: ${getErrorMessage(cause)}. Name another file with --perturbations.`,
      { cause },
    );
  }
}

function formatLineKey({ kind, dataset, id }: Pick<PerturbationLine, "kind" | "dataset" | "id">): string {
  return `${kind}\u0000${dataset}\u0000${typeof id}\u0000${id}`;
}

function readPerturbationFile(file: string): Map<string, PerturbationLine> {
  const lines = new Map<string, PerturbationLine>();
  if (!existsSync(file)) return lines;
  for (const [index, text] of readText(file).split("\n").entries()) {
    if (text.trim() === "") continue;
    const line = parseLine(text, `${file}, line ${index + 1}`);
    const key = formatLineKey(line);
    if (lines.has(key))
      throw new UsageError(
        `${file}, line ${index + 1}: the perturbation ${line.kind} of example "${line.id}" occurs twice. Remove one line.`,
      );
    lines.set(key, line);
  }
  return lines;
}

function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (cause) {
    throw new UsageError(`The perturbations in ${file} cannot be read: ${getErrorMessage(cause)}.`, { cause });
  }
}

function parseLine(text: string, place: string): PerturbationLine {
  const fail = (problem: string): never => {
    throw new UsageError(`${place}: ${problem}. Remove the line, or name another file with --perturbations.`);
  };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return fail("malformed JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return fail(`a perturbation must be an object, but this is ${describeValue(value)}`);
  const line = value as Partial<PerturbationLine>;
  if (line.schema !== SCHEMA) return fail(`"schema" must be "${SCHEMA}", but is ${describeValue(line.schema)}`);
  const kind = PERTURBATION_KINDS.find((known) => known === line.kind);
  if (kind === undefined)
    return fail(`"kind" must be one of ${PERTURBATION_KINDS.join(", ")}, but is ${describeValue(line.kind)}`);
  const version = kind === "paraphrase" ? PARAPHRASE_VERSION : RULES_VERSION;
  if (line.version !== version)
    return fail(`"version" must be ${version} for ${kind}, but is ${describeValue(line.version)}`);
  if (typeof line.text !== "string" || line.text === "") return fail('"text" must be a text that is not empty');
  if (typeof line.id !== "string" && typeof line.id !== "number") return fail('"id" must be the id of an example');
  if (typeof line.dataset !== "string") return fail('"dataset" must be the name of a dataset, or ""');
  if (typeof line.original !== "string") return fail('"original" must be the hash of the original');
  return line as PerturbationLine;
}

function toRewording(line: PerturbationLine, example: Example, file: string): Rewording {
  const where = `example "${example.id}"${example.dataset ? ` of ${example.dataset}` : ""}`;
  if (line.original !== hashTask(example))
    throw new UsageError(
      `The task of ${where} has changed since its perturbation ${line.kind} was written to ${file}. Restore the example, or remove the file to make its perturbations again.`,
    );
  const { text, choice_order: choiceOrder } = line;
  if (choiceOrder === undefined) return { text };
  if (!isChoiceOrder(choiceOrder, example.choices?.length ?? 0))
    throw new UsageError(`"choice_order" of ${where} in ${file} is not an order of its choices. Remove the line.`);
  return { text, choiceOrder };
}

/** A perturbation that changes nothing would measure nothing. */
function describeCoverage(byKind: FrozenPerturbations["byKind"], { examples }: FreezeOptions): string[] {
  const notes: string[] = [];
  for (const [kind, rewordings] of byKind) {
    if (rewordings.size === 0)
      throw new UsageError(
        `The perturbation ${kind} changes none of the ${examples.length} examples${WHY_UNCHANGED[kind] ?? ""}. Leave it out.`,
      );
    if (rewordings.size < examples.length)
      notes.push(`${kind} changes ${rewordings.size} of ${examples.length} examples; its figures are about those`);
  }
  return notes;
}

const WHY_UNCHANGED: Readonly<Partial<Record<PerturbationKind, string>>> = {
  reorder: ": none has choices or a bullet list whose order does not matter",
  typos: ": none has a plain lowercase word of five letters outside of code and quotations",
};
