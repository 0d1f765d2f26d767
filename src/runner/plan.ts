import { createHash } from "node:crypto";
import type {
  DatasetConfig,
  EvalRow,
  Evaluator,
  Example,
  ExampleSource,
  StoredExampleLimits,
  System,
} from "../core/index.js";
import {
  canonicalJson,
  computeFingerprint,
  type Dataset,
  DatasetError,
  type DatasetOverrides,
  describeValue,
  didYouMean,
  findExampleOverrides,
  getErrorMessage,
  type Metric,
  readFacetValue,
  requireShape,
  requireThreshold,
  UsageError,
} from "../core/index.js";
import { bindEvaluators, type DatasetPlan, ExampleTable, toDatasetSource } from "./dataset-plan.js";
import { type ExampleGroups, groupExamples, type RunOrder } from "./order.js";

/** Everything a run consists of, before it starts. */
export interface Plan {
  readonly systems: readonly System[];
  readonly examples: readonly Example[];
  /** By example: the index of its dataset plan. */
  readonly datasetIndexes: Uint32Array;
  readonly datasetPlans: readonly DatasetPlan[];
  /** By dataset: the dataset tags of its examples. */
  readonly tags: readonly ReadonlySet<string>[];
  /** Examples that stay together in the order of the run; null if there are none. */
  readonly groups: ExampleGroups | null;
  /** Trials per example; the maximum if datasets or examples differ. */
  readonly trials: number;
  readonly seed: number;
  readonly order: RunOrder;
  /** "score" means each dataset's own primary field. */
  readonly scoreField: string;
  readonly threshold: number;
  /** Planned trials: systems × examples × trials, minus what dataset overrides leave out. */
  readonly total: number;
  /** By dataset: the indexes of the systems to run, and the trials of examples that do not override them. */
  readonly cells: readonly TrialMatrix[];
  /** By example: what those that override something are run with, together with the overrides of their dataset. */
  readonly exampleTerms: ReadonlyMap<number, DatasetOverrides>;
  readonly notes: readonly string[];
}

interface TrialMatrix {
  readonly systems: ReadonlySet<number>;
  readonly trials: number;
}

export interface PlanOptions {
  systems: readonly System[];
  datasets: readonly (ExampleSource | Dataset)[];
  evaluators?: readonly Evaluator[];
  metrics: readonly Metric[];
  scoreField?: string;
  threshold?: number;
  trials?: number;
  seed?: number;
  /** Default: "rounds". */
  order?: RunOrder;
  skipBadRows?: boolean;
}

const DEFAULT_THRESHOLD = 0.7;

/** Checks everything that can be checked before a run starts, and plans its trials. */
export async function makePlan(options: PlanOptions): Promise<Plan> {
  const { seed = 0, order = "rounds", threshold = DEFAULT_THRESHOLD, scoreField = "score" } = options;
  requirePositiveInteger("trials", options.trials ?? 1);
  requireThreshold(threshold);
  const systems = checkPlanSystems(options.systems);
  const table = new ExampleTable({
    skipBad: options.skipBadRows === true,
    needsText: systems.some((system) => system.listInputTexts === undefined),
    datasets: options.datasets.length,
  });
  const datasetPlans: DatasetPlan[] = [];
  for (const [index, source] of options.datasets.entries()) {
    const dataset = toDatasetSource(source);
    await table.addAll(dataset, index);
    datasetPlans.push(
      bindEvaluators({ dataset, evaluators: options.evaluators, metrics: options.metrics, scoreField }),
    );
  }
  if (table.examples.length === 0) {
    throw new DatasetError("The dataset is empty: there is nothing to run. Check its path, filter and -n.");
  }
  const { examples, tags } = table;
  const datasetIndexes = table.mapExamplesToDatasets();
  const cells = datasetPlans.map((datasetPlan) => buildTrialMatrix(datasetPlan, systems, options.trials ?? 1));
  const exampleTerms = collectExampleTerms({ examples, datasetIndexes, datasetPlans });
  checkPlanExamples({ examples, datasetIndexes, datasetPlans, systems, cells });
  return {
    systems,
    examples,
    datasetIndexes,
    datasetPlans,
    tags,
    groups: groupExamples({ examples, datasetIndexes, datasetPlans }),
    trials: [...cells, ...exampleTerms.values()].reduce((most, { trials = 1 }) => Math.max(most, trials), 1),
    seed,
    order,
    scoreField,
    threshold,
    total: checkTrialCount(sumPlannedTrials({ systems, examples, datasetIndexes, cells, exampleTerms })),
    cells,
    exampleTerms,
    notes: [
      ...table.listNotes(),
      ...listUnscoredDatasetNotes(datasetPlans),
      ...listUnknownFieldNotes({ examples, datasetIndexes, datasetPlans }),
    ],
  };
}

function buildTrialMatrix({ terms, dataset }: DatasetPlan, systems: readonly System[], trials: number): TrialMatrix {
  const names = systems.map(({ name }) => name);
  if (terms !== null) checkOverrides(terms, dataset === "" ? "the dataset" : `the dataset ${dataset}`, names);
  const asked = terms?.systems ?? names;
  return { systems: new Set(asked.map((name) => names.indexOf(name))), trials: terms?.trials ?? trials };
}

/** What each example that overrides something is run with. */
function collectExampleTerms({
  examples,
  datasetIndexes,
  datasetPlans,
}: Pick<Plan, "examples" | "datasetIndexes" | "datasetPlans">): Plan["exampleTerms"] {
  const found = new Map<number, DatasetOverrides>();
  for (const [index, example] of examples.entries()) {
    const datasetPlan = datasetPlans[datasetIndexes[index] ?? 0];
    const own = datasetPlan === undefined ? null : findExampleOverrides(example, datasetPlan);
    if (own !== null) found.set(index, { ...datasetPlan?.terms, ...own });
  }
  return found;
}

/** The trials of an example for each of its systems. */
export function countTrialsPerSystem(
  { exampleTerms, cells, datasetIndexes }: Pick<Plan, "exampleTerms" | "cells" | "datasetIndexes">,
  exampleIndex: number,
): number {
  return exampleTerms.get(exampleIndex)?.trials ?? cells[datasetIndexes[exampleIndex] ?? 0]?.trials ?? 0;
}

/** What an example is run with instead of the settings of the run; null if there is nothing. */
export function getExampleTerms(
  { exampleTerms, datasetPlans, datasetIndexes }: Pick<Plan, "exampleTerms" | "datasetPlans" | "datasetIndexes">,
  exampleIndex: number,
): DatasetOverrides | null {
  return exampleTerms.get(exampleIndex) ?? datasetPlans[datasetIndexes[exampleIndex] ?? 0]?.terms ?? null;
}

/** All overrides that trials of the plan are run with, and what each belongs to. */
export function listPlanTerms(
  plan: Pick<Plan, "exampleTerms" | "datasetPlans" | "datasetIndexes" | "examples">,
): Pick<DatasetPlan, "dataset" | "terms">[] {
  const own = [...plan.exampleTerms].map(([index, terms]) => ({ dataset: formatExampleName(plan, index), terms }));
  return [...plan.datasetPlans, ...own];
}

function formatExampleName({ examples }: Pick<Plan, "examples">, index: number): string {
  const { id, dataset = "" } = examples[index] ?? {};
  return dataset === "" ? `example ${id}` : `${dataset}: ${id}`;
}

type PlannedParts = Pick<Plan, "systems" | "examples" | "datasetIndexes" | "cells" | "exampleTerms">;

function sumPlannedTrials(parts: PlannedParts): number {
  const { datasetIndexes, cells, exampleTerms } = parts;
  const each = cells.map(({ systems, trials }) => systems.size * trials);
  const usual = datasetIndexes.reduce((total, datasetPlan) => total + (each[datasetPlan] ?? 0), 0);
  const differing = [...exampleTerms.keys()].reduce((total, index) => {
    const cell = cells[datasetIndexes[index] ?? 0];
    return total + (cell?.systems.size ?? 0) * (countTrialsPerSystem(parts, index) - (cell?.trials ?? 0));
  }, 0);
  return usual + differing - sumSkippedTrials(parts);
}

/** Trials of examples that a system skips. */
function sumSkippedTrials(parts: PlannedParts): number {
  const { systems, examples, datasetIndexes, cells } = parts;
  const skipping = [...systems.entries()].filter(([, system]) => system.skips !== undefined);
  if (skipping.length === 0) return 0;
  return examples.reduce((total, example, at) => {
    const cell = cells[datasetIndexes[at] ?? 0];
    const skipped = skipping.filter(([index, system]) => cell?.systems.has(index) && system.skips?.(example) === true);
    return total + skipped.length * countTrialsPerSystem(parts, at);
  }, 0);
}

/** Upper bound on rows kept in memory. */
const MAX_TRIALS = 100_000_000;

function checkTrialCount(total: number): number {
  if (total <= MAX_TRIALS) return total;
  throw new UsageError(
    `The run would have ${total} trials; the maximum is ${MAX_TRIALS}. Lower the number of trials, or sample the examples with -n.`,
  );
}

/** Whether a trial is part of the plan: dataset overrides and systems may leave it out. */
export function isPlanned(plan: Plan, { systemIndex, exampleIndex, trial }: TrialCoordinates): boolean {
  const { cells, datasetIndexes, systems, examples } = plan;
  const cell = cells[datasetIndexes[exampleIndex] ?? 0];
  if (cell?.systems.has(systemIndex) !== true || trial >= countTrialsPerSystem(plan, exampleIndex)) return false;
  const system = systems[systemIndex];
  return system?.skips === undefined || !system.skips(examples[exampleIndex] as Example);
}

export interface TrialCoordinates {
  readonly systemIndex: number;
  readonly exampleIndex: number;
  readonly trial: number;
}

/** The index of a trial's row in the result: by system, then example, then trial. */
export function getRowIndex(plan: Plan, systemIndex: number, exampleIndex: number, trial: number): number {
  return (systemIndex * plan.examples.length + exampleIndex) * plan.trials + trial;
}

/** Describes the datasets of a plan, identified by their content. */
export function describePlanDatasets(plan: Plan): DatasetConfig[] {
  const counts = plan.datasetPlans.map(() => 0);
  const digests = plan.datasetPlans.map(({ fingerprint }) => (fingerprint === null ? new ContentDigest() : null));
  for (const [index, example] of plan.examples.entries()) {
    const datasetPlan = plan.datasetIndexes[index] ?? 0;
    counts[datasetPlan] = (counts[datasetPlan] ?? 0) + 1;
    digests[datasetPlan]?.add(example);
  }
  return plan.datasetPlans.map((datasetPlan, i) => ({
    name: datasetPlan.dataset,
    examples: counts[i] ?? 0,
    fingerprint: datasetPlan.fingerprint ?? digests[i]?.finish() ?? "",
    tags: [...(plan.tags[i] ?? [])],
    primaryField: datasetPlan.forcedField ?? datasetPlan.primaryFields?.[0] ?? null,
    evaluators: Object.fromEntries(
      datasetPlan.evaluators.map((evaluator) => [
        evaluator.name,
        { fingerprint: computeFingerprint(evaluator, "score") },
      ]),
    ),
    ...(datasetPlan.origin === null ? {} : { origin: datasetPlan.origin }),
    ...(datasetPlan.groupBy === null ? {} : { groupBy: datasetPlan.groupBy }),
    ...(datasetPlan.pairedAs === null ? {} : { pairedAs: datasetPlan.pairedAs }),
    ...(datasetPlan.expertCostUsd === null ? {} : { expertCostUsd: datasetPlan.expertCostUsd }),
    ...describeOverrides(plan, i),
    ...(datasetPlan.skill === null ? {} : { skill: datasetPlan.skill }),
    ...(datasetPlan.gates.length === 0 ? {} : { gates: datasetPlan.gates }),
  }));
}

/** The overrides of a dataset, including its trials if they differ from those of other datasets. */
function describeOverrides(plan: Plan, datasetPlan: number): Pick<DatasetConfig, "terms" | "limits"> {
  const { cells, datasetPlans } = plan;
  const terms = datasetPlans[datasetPlan]?.terms ?? null;
  const most = Math.max(...cells.map(({ trials }) => trials));
  const own = cells[datasetPlan]?.trials ?? most;
  const limits = describeExampleOverrides(plan, datasetPlan);
  // Trials that an example raised are not those of the other examples.
  const hasLimits = limits.length > 0 || plan.trials > most;
  return {
    ...(terms === null && own === most ? {} : { terms: { ...terms, ...(own === most ? {} : { trials: own }) } }),
    ...(hasLimits ? { limits: { trials: own, examples: limits } } : {}),
  };
}

function describeExampleOverrides(
  { exampleTerms, datasetIndexes, examples, datasetPlans }: Plan,
  datasetPlan: number,
): StoredExampleLimits[] {
  const own = [...exampleTerms.keys()].filter((index) => datasetIndexes[index] === datasetPlan);
  return own.flatMap((index) => {
    const example = examples[index];
    const plan = datasetPlans[datasetPlan];
    if (example === undefined || plan === undefined) return [];
    return [{ id: example.id, ...findExampleOverrides(example, plan) }];
  });
}

/** SHA-256 over examples, updated in large pieces: one update per example would cost more than the hashing. */
class ContentDigest {
  readonly #hash = createHash("sha256");
  #pending = "";

  add(example: Example): void {
    this.#pending += `${serializeExample(example)}\n`;
    if (this.#pending.length > 1 << 16) this.#feed();
  }

  finish(): string {
    this.#feed();
    return this.#hash.digest("hex");
  }

  #feed(): void {
    this.#hash.update(this.#pending);
    this.#pending = "";
  }
}

function serializeExample(example: Example): string {
  try {
    return JSON.stringify(example);
  } catch {
    return serializeUnusualExample(example);
  }
}

/** Handles values that JSON cannot hold, such as BigInt. Throws if the example cannot be serialized at all. */
function serializeUnusualExample(example: Example): string {
  try {
    return canonicalJson(example);
  } catch (cause) {
    throw new DatasetError(`Example "${example.id}" cannot be written as JSON: ${getErrorMessage(cause)}.`, { cause });
  }
}

/** Lets evaluators and systems check the examples, if they implement a check. */
function checkPlanExamples({
  examples,
  datasetIndexes,
  datasetPlans,
  systems,
  cells,
}: Pick<Plan, "examples" | "datasetIndexes" | "datasetPlans" | "systems" | "cells">): void {
  const checking = datasetPlans.map(({ evaluators }, datasetPlan) => {
    const asked = systems.filter((_, index) => cells[datasetPlan]?.systems.has(index));
    return [...evaluators, ...asked].filter((each) => "checkExample" in each);
  });
  if (checking.every((checks) => checks.length === 0)) return;
  for (const [index, example] of examples.entries())
    for (const check of checking[datasetIndexes[index] ?? 0] ?? []) check.checkExample?.(example);
}

/** A run without evaluators is allowed, but most often a mistake. */
function listUnscoredDatasetNotes(datasetPlans: readonly DatasetPlan[]): string[] {
  const bare = datasetPlans.filter(({ evaluators }) => evaluators.length === 0);
  return bare.map(({ dataset }) => `${dataset || "the dataset"} has no evaluators, so its outputs are not scored`);
}

/** A field that no example has is most often misspelled. */
function listUnknownFieldNotes({
  examples,
  datasetIndexes,
  datasetPlans,
}: Pick<Plan, "examples" | "datasetIndexes" | "datasetPlans">): string[] {
  return datasetPlans.flatMap(({ dataset, facets, groupBy }, datasetPlan) => {
    const fields = new Set([...(facets?.fields ?? []), ...(groupBy === null ? [] : [groupBy])]);
    const isIn = (field: string) => (example: Example, index: number) =>
      datasetIndexes[index] === datasetPlan && readFacetValue(example, field) !== null;
    const unknown = [...fields].filter((field) => !examples.some(isIn(field)));
    return unknown.map((field) => `no example of ${dataset || "the dataset"} has "${field}" to group results by`);
  });
}

export function requirePositiveInteger(name: string, value: number): void {
  if (!Number.isInteger(value) || value < 1) {
    throw new UsageError(`${name} must be a whole number of at least 1, but is ${describeValue(value)}.`);
  }
}

function checkPlanSystems(systems: readonly System[]): readonly System[] {
  const count = Array.isArray(systems) ? systems.length : 0;
  if (count === 0) {
    throw new UsageError("There is no system to measure. Add at least one.");
  }
  const fingerprints = new Map<string, string>();
  for (const system of systems) {
    requireShape<System>("A system", system, ["process"]);
    const fingerprint = computeFingerprint(system, "process");
    const other = fingerprints.get(system.name);
    if (other !== undefined) {
      const same = other === fingerprint ? "the same system given twice" : "two different systems";
      throw new UsageError(
        `Two systems have the name "${system.name}" (${same}). Rows are identified by system name: rename one.`,
      );
    }
    fingerprints.set(system.name, fingerprint);
  }
  return systems;
}

const OVERRIDE_KEYS = [
  "systems",
  "trials",
  "maxCostUsd",
  "hardTimeoutMs",
] as const satisfies readonly (keyof DatasetOverrides)[];

function checkOverrides(terms: DatasetOverrides, whose: string, systems: readonly string[]): void {
  const unknown = Object.keys(terms).find((key) => !(OVERRIDE_KEYS as readonly string[]).includes(key));
  if (unknown !== undefined)
    throw new UsageError(
      `The terms of ${whose} have an unknown key "${unknown}".${didYouMean(unknown, OVERRIDE_KEYS)}`,
    );
  const { trials, maxCostUsd, hardTimeoutMs } = terms;
  if (trials !== undefined && !(Number.isInteger(trials) && trials >= 1))
    throw new UsageError(`trials of ${whose} must be a whole number of at least 1, but is ${describeValue(trials)}.`);
  if (maxCostUsd !== undefined && !isNonNegative(maxCostUsd))
    throw new UsageError(
      `maxCostUsd of ${whose} must be an amount in dollars of at least 0, but is ${describeValue(maxCostUsd)}.`,
    );
  if (hardTimeoutMs !== undefined && !(isNonNegative(hardTimeoutMs) && hardTimeoutMs > 0))
    throw new UsageError(
      `hardTimeoutMs of ${whose} must be a number of milliseconds above 0, but is ${describeValue(hardTimeoutMs)}.`,
    );
  checkSystemNames(terms.systems, whose, systems);
}

function checkSystemNames(asked: readonly string[] | undefined, whose: string, systems: readonly string[]): void {
  const stranger = asked?.find((name) => !systems.includes(name));
  if (stranger !== undefined)
    throw new UsageError(`${whose} targets the unknown system "${stranger}".${didYouMean(stranger, systems)}`);
  if (asked?.length === 0)
    throw new UsageError(`${whose} targets no system, so nothing of it would run. Name at least one.`);
}

function isNonNegative(value: unknown): boolean {
  return typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY;
}

/** The group of an example's rows; null if the dataset has no groups or the example is in none. */
export function getRowGroup({ groupBy }: Pick<DatasetPlan, "groupBy">, example: Example): EvalRow["group"] {
  if (groupBy === null) return null;
  const value = readFacetValue(example, groupBy);
  return typeof value === "boolean" ? String(value) : value;
}
