import type { Evaluator, Facets, MeasureValues, Metric, Scores } from "../core/index.js";
import {
  checkExpertCost,
  collectFacets,
  type Dataset,
  DatasetError,
  type DatasetGate,
  type DatasetOrigin,
  type DatasetOverrides,
  describeValue,
  didYouMean,
  type Example,
  type ExampleOverrides,
  type ExampleSource,
  findExampleProblem,
  getExampleKey,
  hashContent,
  hasId,
  IdDeduplicator,
  requireShape,
  ScoreFieldError,
  UsageError,
} from "../core/index.js";

/** A dataset as the runner sees it: a source of examples with its settings. */
interface DatasetSource {
  readonly name: string;
  readonly source: ExampleSource;
  readonly fingerprint?: string;
  readonly evaluators?: readonly Evaluator[];
  readonly primaryField?: string;
  readonly notes?: readonly string[];
  readonly facets?: readonly string[];
  readonly labels?: ReadonlyMap<string | number, Facets>;
  readonly groupBy?: string;
  readonly pairedAs?: string;
  readonly expertCostUsd?: number;
  readonly origin?: DatasetOrigin;
  readonly terms?: DatasetOverrides;
  readonly limits?: ReadonlyMap<string | number, ExampleOverrides>;
  readonly skill?: string;
  readonly gates?: readonly DatasetGate[];
}

/** Normalizes a dataset: a list, a stream, or either of them with a name, evaluators and other settings. */
export function toDatasetSource(given: ExampleSource | Dataset): DatasetSource {
  const source: unknown = isObjectValue(given) && "examples" in given ? given.examples : given;
  if (!isObjectValue(source) || !(Symbol.iterator in source || Symbol.asyncIterator in source)) {
    throw new UsageError(
      `The dataset must be an array, an iterable or an async iterable of examples, but is ${describeValue(given)}.`,
    );
  }
  const { name, fingerprint, evaluators, primaryField, notes, facets, labels, groupBy, origin, terms, skill, gates } =
    given as Partial<Dataset>;
  const { expertCostUsd, pairedAs, limits } = given as Partial<Dataset>;
  if (expertCostUsd !== undefined) checkExpertCost(expertCostUsd, `expertCostUsd of ${name || "the dataset"}`);
  checkBreakdownFields(given as Partial<Dataset>);
  return {
    name: typeof name === "string" ? name : "",
    source: source as ExampleSource,
    // A list that was changed afterwards no longer matches the loader's fingerprint.
    ...(fingerprint !== undefined && fingerprint.of === source && { fingerprint: fingerprint.sha256 }),
    ...(evaluators !== undefined && { evaluators }),
    ...(primaryField !== undefined && { primaryField }),
    ...(notes !== undefined && { notes }),
    ...(facets !== undefined && facets.length > 0 && { facets }),
    ...(labels !== undefined && labels.size > 0 && { labels }),
    ...(groupBy !== undefined && { groupBy }),
    ...(pairedAs !== undefined && { pairedAs }),
    ...(expertCostUsd !== undefined && { expertCostUsd }),
    ...(origin !== undefined && { origin }),
    ...(terms !== undefined && { terms }),
    ...(limits !== undefined && { limits }),
    ...(skill !== undefined && { skill }),
    ...(gates !== undefined && gates.length > 0 && { gates }),
  };
}

/** A string instead of a list would be read letter by letter. */
function checkBreakdownFields({
  name,
  facets,
  groupBy,
}: {
  name?: unknown;
  facets?: unknown;
  groupBy?: unknown;
}): void {
  const whose = typeof name === "string" && name !== "" ? `the dataset ${name}` : "the dataset";
  const isList = Array.isArray(facets) && facets.every((field) => typeof field === "string" && field !== "");
  if (facets !== undefined && !isList)
    throw new UsageError(`The facets of ${whose} must be a list of field names, but are ${describeValue(facets)}.`);
  if (groupBy !== undefined && (typeof groupBy !== "string" || groupBy === ""))
    throw new UsageError(`groupBy of ${whose} must be the name of a field, but is ${describeValue(groupBy)}.`);
}

function isObjectValue(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

interface ExampleOrigin {
  dataset: string;
  datasetIndex: number;
  /** Ids seen so far. Datasets with the same name share them, because their rows could not be distinguished. */
  seen: Map<string, number>;
  position: number;
  /** True for examples that a loader created for this run only and checked for unique ids. */
  isOwned: boolean;
  /** True if ids are compared here. The loader of a single dataset did that already, and a million ids need not be kept twice. */
  isCompared: boolean;
}

interface ExampleTableOptions {
  skipBad: boolean;
  /** True if an example must have a context or a question. */
  needsText: boolean;
  /** How many will be added. */
  datasets: number;
}

/** Collects examples, gives each an id and a dataset, and rejects invalid ones. */
export class ExampleTable {
  readonly examples: Example[] = [];
  /** By dataset: the dataset tags of its examples, which may carry their own. */
  readonly tags: Set<string>[] = [];
  readonly #skipBad: boolean;
  readonly #needsText: boolean;
  readonly #isOnly: boolean;
  readonly #notes: string[] = [];
  /** By dataset: the index of its first example. */
  readonly #starts: number[] = [];
  readonly #seen = new Map<string, Map<string, number>>();
  readonly #repeated = new IdDeduplicator();
  #bad = 0;
  #firstBad = "";

  constructor({ skipBad, needsText, datasets }: ExampleTableOptions) {
    this.#skipBad = skipBad;
    this.#needsText = needsText;
    this.#isOnly = datasets === 1;
  }

  async addAll(dataset: DatasetSource, datasetIndex: number): Promise<void> {
    const { name, fingerprint } = dataset;
    const seen = this.#getSeenIds(name);
    const isOwned = fingerprint !== undefined;
    const isCompared = !(isOwned && this.#isOnly);
    const from: ExampleOrigin = { dataset: name, datasetIndex, seen, position: 0, isOwned, isCompared };
    this.tags[datasetIndex] = new Set();
    this.#starts[datasetIndex] = this.examples.length;
    // Awaiting each example of a plain array would cost more than everything else done with it.
    if (Symbol.iterator in dataset.source) for (const raw of dataset.source) this.#addRaw(raw, from);
    else for await (const raw of dataset.source) this.#addRaw(raw, from);
    this.#notes.push(...(dataset.notes ?? []));
  }

  /** Returns the dataset index of each example. Call after all datasets are added. */
  mapExamplesToDatasets(): Uint32Array {
    const datasetIndexes = new Uint32Array(this.examples.length);
    for (const [datasetPlan, start] of this.#starts.entries()) datasetIndexes.fill(datasetPlan, start);
    return datasetIndexes;
  }

  listNotes(): string[] {
    if (this.#bad === 0) return this.#notes;
    return [...this.#notes, `${this.#bad} bad row${this.#bad === 1 ? "" : "s"} skipped (first: ${this.#firstBad})`];
  }

  #getSeenIds(dataset: string): Map<string, number> {
    const seen = this.#seen.get(dataset) ?? new Map<string, number>();
    this.#seen.set(dataset, seen);
    return seen;
  }

  #addRaw(raw: Example, from: ExampleOrigin): void {
    from.position += 1;
    const problem = findExampleProblem(raw, this.#needsText);
    if (problem === null) this.#add(raw, from);
    else this.#reject(`Example ${from.position}${from.dataset === "" ? "" : ` of ${from.dataset}`} ${problem}`);
  }

  #add(raw: Example, from: ExampleOrigin): void {
    // Otherwise a system could change the example for every other system and evaluator.
    const example = Object.freeze(this.#assignId(raw, from));
    if (from.isCompared) requireUniqueId(example, from);
    this.tags[from.datasetIndex]?.add(example.dataset ?? "");
    this.examples.push(example);
  }

  /** The example with an id and a dataset name; a copy, unless the loader created its examples for this run. */
  #assignId(raw: Example, from: ExampleOrigin): Example {
    if (from.isOwned && hasId(raw) && raw.dataset !== undefined) return raw;
    const dataset = raw.dataset ?? from.dataset;
    if (hasId(raw)) return { ...raw, dataset };
    const id = this.#repeated.makeUnique(hashContent(raw), (id) => from.seen.has(buildSeenKey({ id, dataset }, from)));
    return { ...raw, id, dataset };
  }

  #reject(problem: string): void {
    if (!this.#skipBad) {
      throw new DatasetError(`${problem}. Fix the row, or pass --skip-bad-rows (skipBadRows: true) to skip bad rows.`);
    }
    if (this.#bad === 0) this.#firstBad = problem;
    this.#bad += 1;
  }
}

function requireUniqueId(example: Example, from: ExampleOrigin): void {
  const key = buildSeenKey(example, from);
  const other = from.seen.get(key);
  if (other !== undefined) {
    throw new DatasetError(
      `Examples ${other} and ${from.position} have the same id "${example.id}". Rows are identified by id: make ids unique, or omit them to have them generated from the content.`,
    );
  }
  from.seen.set(key, from.position);
}

/** Reusing the id avoids a new string for every example. */
function buildSeenKey(example: Pick<Example, "id" | "dataset">, from: ExampleOrigin): string {
  return example.dataset === from.dataset ? String(example.id) : getExampleKey(example);
}

/** The evaluators of one dataset, and which of their fields decides pass or fail. */
export interface DatasetPlan {
  readonly dataset: string;
  /** Identifies the dataset's content, if its loader knows. */
  readonly fingerprint: string | null;
  readonly evaluators: readonly Evaluator[];
  /** The score field that the run was told to use; null to use the dataset's own. */
  readonly forcedField: string | null;
  /** Fields that may decide pass or fail, best first; null if only the first evaluator's result can tell. */
  readonly primaryFields: readonly string[] | null;
  /** Fields requested by name. */
  readonly requiredFields: readonly string[];
  /** Whether the required fields are known to be produced. Until then the first row scored by all evaluators is checked. */
  fieldsAreKnown: boolean;
  /** Reads the facets of examples; null if the dataset declares none. */
  readonly facets: FacetReader | null;
  /** Examples with the same value in this field stay together in the order of a run and are not independent observations. */
  readonly groupBy: string | null;
  /** Datasets with the same name here have their tasks in common; null if it shares none. */
  readonly pairedAs: string | null;
  /** What an expert charges for one example, in dollars; null if unknown. */
  readonly expertCostUsd: number | null;
  readonly origin: DatasetOrigin | null;
  /** True if the evaluators may be able to score unfinished work; the example decides. */
  readonly canWatch: boolean;
  /** Overrides for running its examples; null if there are none. */
  readonly terms: DatasetOverrides | null;
  /** What single examples override, by their ids. */
  readonly limits: ReadonlyMap<string | number, ExampleOverrides>;
  readonly skill: string | null;
  readonly gates: readonly DatasetGate[];
}

export interface DatasetPlanOptions {
  dataset: Omit<DatasetSource, "source" | "notes">;
  evaluators?: readonly Evaluator[] | undefined;
  metrics: readonly Metric[];
  scoreField: string;
}

/** Binds a dataset to its evaluators: those of the run if it names any, otherwise the dataset's own. */
export function bindEvaluators(options: DatasetPlanOptions): DatasetPlan {
  const { dataset, metrics, scoreField } = options;
  const evaluators = options.evaluators ?? dataset.evaluators ?? [];
  checkDatasetEvaluators(evaluators, dataset.name);
  const primaryField = findUsablePrimaryField(options);
  const asked = [scoreField, ...metrics.flatMap((metric) => metric.scoreField ?? [])].filter(
    (field) => field !== "score",
  );
  const requiredFields = primaryField === undefined ? asked : [...asked, primaryField];
  const everyFieldIsDeclared = evaluators.every(({ fields }) => fields !== undefined);
  const datasetPlan: DatasetPlan = {
    dataset: dataset.name,
    fingerprint: dataset.fingerprint ?? null,
    evaluators,
    forcedField: scoreField === "score" ? null : scoreField,
    primaryFields: listPrimaryFields(evaluators, primaryField),
    requiredFields: [...new Set(requiredFields)],
    fieldsAreKnown: everyFieldIsDeclared || requiredFields.length === 0,
    facets: dataset.facets === undefined && dataset.labels === undefined ? null : new FacetReader(dataset),
    groupBy: dataset.groupBy ?? null,
    pairedAs: dataset.pairedAs ?? null,
    expertCostUsd: dataset.expertCostUsd ?? null,
    origin: dataset.origin ?? null,
    canWatch: evaluators.length > 0 && evaluators.every((evaluator) => "canWatch" in evaluator),
    terms: dataset.terms ?? null,
    limits: dataset.limits ?? new Map(),
    skill: dataset.skill ?? null,
    gates: dataset.gates ?? [],
  };
  if (everyFieldIsDeclared) requireScoreFields(datasetPlan, new Set(listDeclaredFields(evaluators)));
  return datasetPlan;
}

/**
 * The field that decides a row. An evaluator's own `score` comes first, then the candidates in order. If nothing is
 * declared, it is the first field of the first evaluator only: a row whose first evaluator failed is unscored rather
 * than judged by a different measure than other rows.
 */
export function findPrimaryField(datasetPlan: DatasetPlan, scores: Scores, first: Scores | null): string | null {
  if (datasetPlan.forcedField !== null)
    return Object.hasOwn(scores, datasetPlan.forcedField) ? datasetPlan.forcedField : null;
  if ("score" in scores) return "score";
  if (datasetPlan.primaryFields !== null)
    return datasetPlan.primaryFields.find((field) => Object.hasOwn(scores, field)) ?? null;
  for (const field in first) return field;
  return null;
}

/**
 * Throws if a requested field is not among the fields that the evaluators, all successful, returned. Checked once: a
 * run that requests a field no evaluator produces stops at its first row instead of its last.
 */
export function checkReturnedFields(
  datasetPlan: DatasetPlan,
  returned: { fields(): Iterable<string>; readonly measures: MeasureValues },
): void {
  if (datasetPlan.fieldsAreKnown) return;
  requireScoreFields(
    datasetPlan,
    new Set([...listDeclaredFields(datasetPlan.evaluators), ...returned.fields()]),
    returned.measures,
  );
  datasetPlan.fieldsAreKnown = true;
}

function requireScoreFields(
  { requiredFields, dataset }: DatasetPlan,
  known: ReadonlySet<string>,
  measures: Readonly<MeasureValues> = {},
): void {
  const missing = requiredFields.find((field) => !known.has(field));
  if (missing === undefined) return;
  if (Object.hasOwn(measures, missing))
    throw new ScoreFieldError(
      `"${missing}" is a measure and cannot decide pass or fail (here it is ${measures[missing]}). Name a score, which lies in [0, 1].${didYouMean(missing, known)}`,
    );
  const where = dataset === "" ? "" : ` for ${dataset}`;
  throw new ScoreFieldError(
    `No evaluator${where} produces the score field "${missing}".${JUDGE_FIELD.test(missing) ? JUDGE_HINT : didYouMean(missing, known)}`,
  );
}

/** Fields that only a judge produces. */
const JUDGE_FIELD = /^judge_/;
const JUDGE_HINT = " It comes from a judge: name one with --judge-model, or add an LLMJudge.";

function listDeclaredFields(evaluators: readonly Evaluator[]): string[] {
  return evaluators.flatMap(({ fields }) => fields ?? []);
}

function checkDatasetEvaluators(evaluators: readonly Evaluator[], dataset: string): void {
  const names = new Set<string>();
  const fields = new Map<string, string>();
  for (const evaluator of evaluators) {
    requireShape<Evaluator>("An evaluator", evaluator, ["score"]);
    if (names.has(evaluator.name))
      throw new UsageError(`Two evaluators have the name "${evaluator.name}". Remove one, or rename it.`);
    names.add(evaluator.name);
    for (const field of evaluator.fields ?? []) {
      const other = fields.get(field);
      if (other !== undefined) {
        throw new UsageError(
          `The evaluators "${other}" and "${evaluator.name}" of ${dataset || "the dataset"} both produce "${field}". Remove one.`,
        );
      }
      fields.set(field, evaluator.name);
    }
  }
}

function listPrimaryFields(evaluators: readonly Evaluator[], declared: string | undefined): readonly string[] | null {
  if (declared !== undefined) {
    const owner = evaluators.find((evaluator) => evaluator.primaryFields?.includes(declared));
    return [...new Set([declared, ...(owner?.primaryFields ?? [])])];
  }
  return evaluators.find((evaluator) => evaluator.primaryFields !== undefined)?.primaryFields ?? null;
}

/** A dataset's primary field belongs to its own evaluators; evaluators of the run must declare that they produce it. */
function findUsablePrimaryField({ dataset, evaluators }: DatasetPlanOptions): string | undefined {
  const { primaryField } = dataset;
  if (primaryField === undefined || evaluators === undefined) return primaryField;
  return evaluators.some(({ fields }) => fields?.includes(primaryField)) ? primaryField : undefined;
}

/**
 * Reads the facets of a dataset's examples. Examples with equal values share one object: a million rows of sixty
 * subjects hold sixty of them.
 */
class FacetReader {
  readonly fields: readonly string[];
  readonly #breakdown: Pick<Dataset, "facets" | "labels">;
  readonly #known = new Map<string, Facets>();

  constructor(breakdown: Pick<Dataset, "facets" | "labels">) {
    this.fields = breakdown.facets ?? [];
    this.#breakdown = breakdown;
  }

  read(example: Example): Facets | null {
    const facets = collectFacets(example, this.#breakdown);
    if (facets === null) return null;
    const text = JSON.stringify(facets);
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    this.#known.set(text, Object.freeze(facets));
    return facets;
  }
}
