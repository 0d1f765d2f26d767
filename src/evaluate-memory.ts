import type { EvalResult, Evaluator, Example, Metric, System } from "./core/index.js";
import { type Dataset, digest, getErrorMessage, makeDataset, UsageError } from "./core/index.js";
import { evaluateWith } from "./evaluate.js";
import { AnswerQuality } from "./evaluators/index.js";
import { MemoryEfficiency, standardMetrics } from "./metrics/index.js";
import { resolveTokenizer } from "./models/index.js";
import type { EvaluateOptions } from "./runs/index.js";
import {
  builtInMemory,
  type Conversation,
  checkMemoryOptions,
  HistoryTokens,
  listRubricNotes,
  loadMemoryQuestions,
  type MemoryFactory,
  type MemoryLoadOptions,
  type MemorySystem,
  MemoryTrials,
  type Reader,
  toReader,
} from "./systems/index.js";

/** Questions and their conversations; each example names one in its `conversation` field. */
export interface MemoryDataset {
  readonly dataset: Dataset;
  readonly conversations: ReadonlyMap<string, Conversation>;
}

/** Options of `evaluateMemory`, in addition to those of `evaluate`. */
export interface EvaluateMemoryOptions extends Omit<EvaluateOptions, "systems" | "dataset" | "datasets"> {
  /** Memories under test: objects, functions that create one per conversation, or built-in names (`bm25:10`). */
  systems: readonly (MemorySystem | MemoryFactory | string)[];
  /** A name such as `locomo` or `longmemeval:s`, or a loaded dataset. */
  dataset: string | MemoryDataset;
  /** Options for loading a dataset by name. */
  load?: MemoryLoadOptions;
  /** Answers for the built-in memories: a model or any other system. */
  reader?: Reader | System;
  /** Scores in addition to the dataset's evaluators, and decides unless `scoreField` is set. Should not be the answering model. */
  judge?: Evaluator;
  /** Maximum number of open conversations per memory that a function creates. Default: 8. */
  maxOpen?: number;
}

/**
 * Loads a memory dataset by name (`locomo`, `longmemeval:s`), from a local file or from the hub.
 * @example
 * const { dataset, conversations } = await loadMemoryDataset("locomo", { file: "locomo10.json", maxExamples: 50 });
 */
export async function loadMemoryDataset(name: string, options: MemoryLoadOptions = {}): Promise<MemoryDataset> {
  const { dataset, conversations } = await loadMemoryQuestions(name, options);
  // A broken memory answers nothing; that must not count as knowing that the conversation has no answer.
  const evaluators = [new AnswerQuality({ acceptsSilence: false })];
  return { dataset: makeDataset({ ...dataset, evaluators }), conversations };
}

/**
 * Evaluates memories: each receives the conversations of a dataset and answers questions about them.
 * @example
 * const result = await evaluateMemory({ systems: ["full-history", "bm25:10"], reader: model, dataset: "locomo" });
 * console.log(result.toTable());
 */
export async function evaluateMemory(options: EvaluateMemoryOptions): Promise<EvalResult> {
  checkMemoryOptions(options);
  const { systems: _, dataset: asked, load: __, reader: given, judge, maxOpen: ___, ...run } = options;
  const reader = given === undefined ? undefined : toReader(given);
  const sources = resolveMemorySources(options, reader);
  const loaded = typeof asked === "string" ? await loadMemoryDataset(asked, buildMemoryLoadOptions(options)) : asked;
  const systems: MemoryTrials[] = [];
  try {
    await openMemories(sources, { systems, loaded, options });
    const notes = [...listSameModelNotes(systems, reader, judge), ...listScoringNotes(loaded.dataset, options)];
    const dataset = setJudgeAsPrimary(judge, addDatasetNotes(addConversationHashes(loaded), notes));
    const evaluators = addJudgeEvaluator(dataset, options);
    return await evaluateWith(createMemoryMetrics, { ...run, systems, dataset, ...(evaluators && { evaluators }) });
  } finally {
    for (const system of systems) await closeMemory(system, options);
  }
}

type MemorySource = MemorySystem | MemoryFactory;

function resolveMemorySources(options: EvaluateMemoryOptions, reader: Reader | undefined): MemorySource[] {
  return options.systems.map((system) =>
    typeof system === "string" ? createNamedMemory(system, reader, options) : system,
  );
}

interface OpenMemoriesOptions {
  /** Filled one by one, so that opened systems are closed if a later one fails. */
  systems: MemoryTrials[];
  loaded: MemoryDataset;
  options: EvaluateMemoryOptions;
}

/** Counts histories after all memories are open and before the first trial, because counting blocks the thread. */
async function openMemories(
  sources: readonly MemorySource[],
  { systems, loaded, options }: OpenMemoriesOptions,
): Promise<void> {
  const { conversations, dataset } = loaded;
  const tokenizer = resolveTokenizer(options.tokenizer);
  const history = new HistoryTokens(conversations, tokenizer);
  const { maxOpen, signal } = options;
  const shared = { conversations, tokenizer, history, ...(maxOpen === undefined ? {} : { maxOpen }) };
  for (const source of sources) systems.push(await MemoryTrials.open(source, shared));
  const ids = dataset.examples.map(({ conversation }) => String(conversation));
  await history.countAll(ids, { onProgress: createCountingNote(options), ...(signal && { signal }) });
}

const SLOW_COUNT_MS = 2000;

/** Notes once that counting takes long. */
function createCountingNote({ onNote }: EvaluateMemoryOptions): (done: number, total: number) => void {
  const start = performance.now();
  let isTold = false;
  return (_, total) => {
    if (isTold || performance.now() - start < SLOW_COUNT_MS) return;
    isTold = true;
    onNote?.(`Counting the tokens of ${total} conversations before the first trial.`);
  };
}

/** A memory that cannot be closed must not discard the results. */
async function closeMemory(system: MemoryTrials, { onNote }: EvaluateMemoryOptions): Promise<void> {
  try {
    await system.close();
  } catch (error) {
    onNote?.(getErrorMessage(error));
  }
}

/** Without the compression ratio of question to answer, which says nothing about a memory. */
export function createMemoryMetrics(systems: number): Metric[] {
  const standard = standardMetrics(systems, 1).filter(({ name }) => name !== "compression_ratio");
  return [...standard, new MemoryEfficiency()];
}

function createNamedMemory(spec: string, reader: Reader | undefined, options: EvaluateMemoryOptions): MemoryFactory {
  if (reader === undefined)
    throw new UsageError(
      `The memory "${spec}" needs a reader that answers from the retrieved text. Pass one as \`reader\`.`,
    );
  return builtInMemory(spec, { reader, tokenizer: resolveTokenizer(options.tokenizer) });
}

function buildMemoryLoadOptions({ load, seed, signal }: EvaluateMemoryOptions): MemoryLoadOptions {
  return { ...(seed === undefined ? {} : { seed }), ...(signal === undefined ? {} : { signal }), ...load };
}

/** Puts the judge first, because the first evaluator decides. */
function addJudgeEvaluator({ evaluators: own = [] }: Dataset, { evaluators, judge }: EvaluateMemoryOptions) {
  if (judge === undefined) return evaluators;
  return [judge, ...(evaluators ?? own)];
}

/** A judge decides instead of the dataset's primary field. */
function setJudgeAsPrimary(judge: Evaluator | undefined, dataset: Dataset): Dataset {
  if (judge === undefined) return dataset;
  const { primaryField: _, ...rest } = dataset;
  const [first] = judge.primaryFields ?? judge.fields ?? [];
  return makeDataset({ ...rest, ...(first === undefined ? {} : { primaryField: first }) });
}

function listScoringNotes(
  { examples, primaryField }: Dataset,
  { judge, evaluators, scoreField }: EvaluateMemoryOptions,
): string[] {
  if (judge === undefined) return evaluators === undefined && primaryField === "f1" ? listRubricNotes(examples) : [];
  const isSaid = (judge.primaryFields ?? judge.fields) !== undefined || scoreField !== undefined;
  return isSaid
    ? []
    : [
        `The judge "${judge.name}" does not declare its fields, so another evaluator may decide: set \`scoreField\` to the judge's field`,
      ];
}

/** Adds the content hash of each history, so that a changed history changes the fingerprint. */
function addConversationHashes({ dataset, conversations }: MemoryDataset): Dataset {
  const isNamed = ({ conversation_hash }: Example) => typeof conversation_hash === "string";
  if (dataset.examples.every(isNamed)) return dataset;
  const hashes = new Map<unknown, string>();
  const hashOf = ({ conversation }: Example) => {
    const known = hashes.get(conversation) ?? digest(conversations.get(String(conversation)) ?? null).slice(0, 16);
    hashes.set(conversation, known);
    return known;
  };
  const examples = dataset.examples.map((one) => (isNamed(one) ? one : { ...one, conversation_hash: hashOf(one) }));
  return makeDataset({ ...dataset, examples });
}

function addDatasetNotes(dataset: Dataset, notes: readonly string[]): Dataset {
  return notes.length === 0 ? dataset : makeDataset({ ...dataset, notes: [...(dataset.notes ?? []), ...notes] });
}

/** A model that judges its own answers is biased. */
function listSameModelNotes(
  systems: readonly MemoryTrials[],
  reader: Reader | undefined,
  judge: Evaluator | undefined,
): string[] {
  const judges = new Set(judge === undefined ? [] : listJudgeModels(judge));
  const answering = new Set([reader?.model, ...systems.map(({ model }) => model)]);
  const both = [...answering].filter((model) => model !== undefined && judges.has(model));
  return both.map(
    (model) => `${model} both answers and judges: models favor their own answers, so use another model as judge`,
  );
}

function listJudgeModels(judge: Evaluator): string[] {
  const { models } = (judge.fingerprint?.() ?? {}) as { models?: unknown };
  const list: readonly unknown[] = Array.isArray(models) ? models : [];
  return list.flatMap((one) => {
    const { model } = (one ?? {}) as { model?: unknown };
    return typeof model === "string" ? [model] : [];
  });
}
