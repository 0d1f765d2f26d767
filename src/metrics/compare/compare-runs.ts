import { UsageError } from "../../core/errors.js";
import type { DatasetConfig, EvalConfig, EvalResult } from "../../core/result.js";
import { didYouMean } from "../../core/suggest.js";
import { compareRows } from "./compare-rows.js";
import { adjustTogether, type CompareOptions, DEFAULT_LEVEL, type PairedComparison } from "./comparison.js";

/** The part of a run that a comparison reads. */
export type ComparedRun = Pick<EvalResult, "rows" | "config" | "runDir">;

/** Options of `compareRuns`: the systems to compare, and the options of `compareRows`. */
export interface CompareRunsOptions extends Omit<CompareOptions, "keyOf" | "scoreField"> {
  systemA?: string | undefined;
  systemB?: string | undefined;
}

/** A comparison of two runs, system by system. */
export interface RunComparison {
  a: RunName;
  b: RunName;
  level: number;
  comparisons: readonly PairedComparison[];
  /** Notes on all comparisons, such as different thresholds. */
  notes: readonly string[];
}

/** The folder of a run, if stored, and its title. */
export interface RunName {
  run: string | null;
  title: string;
}

/**
 * Compares two runs: the named systems, the only ones, or those with the same name.
 * @example
 * const { comparisons } = compareRuns(await loadRun(before), await loadRun(after));
 */
export function compareRuns(a: ComparedRun, b: ComparedRun, options: CompareRunsOptions = {}): RunComparison {
  const { systemA, systemB, ...rest } = options;
  const isSameRun = a === b || (a.runDir !== null && a.runDir === b.runDir);
  for (const run of [a, b]) requireFixedSample(run);
  const [ofA, ofB] = [a.config.systems, b.config.systems];
  const { pairs, notes } = chooseSystems({ ofA, ofB, isSameRun, systemA, systemB });
  const scoreField = resolveSharedScoreField(a.config, b.config);
  const comparisons = pairs.map(([nameA, nameB]) => ({
    ...compareRows(selectSystemRows(a, nameA), selectSystemRows(b, nameB), { ...rest, scoreField }),
    // A system without rows keeps its name.
    systemA: nameA,
    systemB: nameB,
  }));
  return {
    a: toRunName(a),
    b: toRunName(b),
    level: rest.level ?? DEFAULT_LEVEL,
    comparisons: adjustTogether(comparisons),
    notes: [...describeRunDifferences(a.config, b.config), ...notes],
  };
}

/** Tests of a fixed sample do not hold for a run that stopped because of its results. */
function requireFixedSample({ config: { until, title }, runDir }: ComparedRun): void {
  if (until === undefined) return;
  const name = runDir ?? title;
  throw new UsageError(
    `${name} was run with --until "${until.question}", so the tests of compare do not hold for it. See its verdict with: assay report ${name}. To compare runs, run them without --until.`,
  );
}

function selectSystemRows({ rows }: ComparedRun, system: string) {
  return rows.filter((row) => row.system === system);
}

/** Runs with different score fields are compared by the primary score of each. */
function resolveSharedScoreField(a: EvalConfig, b: EvalConfig): string {
  return a.scoreField === b.scoreField ? a.scoreField : "score";
}

function toRunName({ runDir, config }: ComparedRun): RunName {
  return { run: runDir, title: config.title };
}

/** Describes differences in the setup of two runs that may explain different results. */
export function describeRunDifferences(a: EvalConfig, b: EvalConfig): string[] {
  return [
    ...describeDifference("the threshold", [a.threshold, b.threshold], "the pass rates use different rules"),
    ...describeDifference("the primary score", [a.scoreField, b.scoreField], "the scores are not comparable"),
    ...describeDifference("the tokenizer", [a.tokenizer, b.tokenizer], "tokens are counted differently"),
    ...describeDifference("the number of trials", [a.trials, b.trials]),
    ...(hasOneDatasetEach(a, b)
      ? []
      : [...describeUnsharedDatasets("A", a, b), ...describeUnsharedDatasets("B", b, a)]),
    ...matchDatasets(a, b).flatMap(describeDatasetDifferences),
  ];
}

function describeDifference(what: string, [a, b]: readonly [unknown, unknown], so?: string): string[] {
  if (a === b) return [];
  return [`${what} differs: ${String(a)} in A, ${String(b)} in B${so === undefined ? "" : `; ${so}`}`];
}

function hasOneDatasetEach(a: EvalConfig, b: EvalConfig): boolean {
  return a.datasets.length === 1 && b.datasets.length === 1;
}

function describeUnsharedDatasets(side: "A" | "B", own: EvalConfig, others: EvalConfig): string[] {
  const alone = own.datasets.filter(({ name }) => !others.datasets.some((other) => other.name === name));
  const other = side === "A" ? "B" : "A";
  return alone.map(
    ({ name }) => `${other} has no dataset ${describeDatasetName(name)}: its trials in ${side} have no counterpart`,
  );
}

/** Datasets with the same name; if each run has only one, they are matched despite different names. */
function matchDatasets(a: EvalConfig, b: EvalConfig): (readonly [DatasetConfig, DatasetConfig])[] {
  const [onlyA, onlyB] = [a.datasets[0], b.datasets[0]];
  if (hasOneDatasetEach(a, b) && onlyA !== undefined && onlyB !== undefined) return [[onlyA, onlyB]];
  return a.datasets.flatMap((dataset) => {
    const same = b.datasets.find(({ name }) => name === dataset.name);
    return same === undefined ? [] : [[dataset, same] as const];
  });
}

function describeDatasetDifferences([a, b]: readonly [DatasetConfig, DatasetConfig]): string[] {
  const name = a.name === "" ? "the dataset" : a.name;
  const content = a.fingerprint === b.fingerprint ? [] : [describeContentDifference(a, b)];
  const changed = Object.keys(a.evaluators).filter((evaluator) => {
    const other = Object.hasOwn(b.evaluators, evaluator) ? b.evaluators[evaluator] : undefined;
    return other !== undefined && other.fingerprint !== a.evaluators[evaluator]?.fingerprint;
  });
  return [
    ...content,
    ...describeDifference(`the primary field of ${name}`, [a.primaryField, b.primaryField]),
    ...changed.map((evaluator) => `${name}: the evaluator ${evaluator} has different code or settings in B`),
  ];
}

function describeContentDifference(a: DatasetConfig, b: DatasetConfig): string {
  const so = "examples with the same id are paired even if their content differs";
  if (a.name === b.name) return `the examples of ${a.name || "the dataset"} differ between A and B: ${so}`;
  return `B has no dataset ${describeDatasetName(a.name)}: its own, ${describeDatasetName(b.name)}, has other examples, and ${so}`;
}

function describeDatasetName(name: string): string {
  return name === "" ? "without a name" : name;
}

/** The systems of two runs, and which ones were requested. */
export interface SystemChoice {
  ofA: readonly string[];
  ofB: readonly string[];
  /** True if A and B are the same run. */
  isSameRun: boolean;
  systemA?: string | undefined;
  systemB?: string | undefined;
}

export interface SystemPairs {
  pairs: readonly (readonly [a: string, b: string])[];
  notes: readonly string[];
}

/**
 * Selects the systems to compare: the named ones, the only ones, or those with the same name.
 * @example
 * chooseSystems({ ofA: ["old"], ofB: ["new"], isSameRun: false }); // { pairs: [["old", "new"]], notes: [] }
 */
export function chooseSystems(choice: SystemChoice): SystemPairs {
  const { ofA, ofB, isSameRun } = choice;
  const systemA = requireKnownSystem("a", choice.systemA, ofA) ?? getOnlyName(ofA);
  const systemB = requireKnownSystem("b", choice.systemB, ofB) ?? getOnlyName(ofB);
  if (systemA !== undefined && systemB !== undefined)
    return { pairs: [requireDistinctSystems(systemA, systemB, choice)], notes: [] };
  if (isSameRun) throw createAmbiguityError(choice, "A and B are the same run");
  if (choice.systemA !== undefined || choice.systemB !== undefined)
    return { pairs: [matchSystemByName(choice)], notes: [] };
  const shared = ofA.filter((name) => ofB.includes(name));
  if (shared.length === 0) throw createAmbiguityError(choice, "The runs have no system in common");
  const lone = [...describeOmittedSystems("A", ofA, shared), ...describeOmittedSystems("B", ofB, shared)];
  return { pairs: shared.map((name) => [name, name]), notes: lone };
}

function requireKnownSystem(side: "a" | "b", name: string | undefined, names: readonly string[]): string | undefined {
  if (name === undefined || names.includes(name)) return name;
  throw new UsageError(
    `--system-${side} ${name}: ${side.toUpperCase()} has no system with this name.${didYouMean(name, names)}`,
  );
}

function getOnlyName(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined;
}

/** One system was named, and the other run has several: use the one with the same name, or require a name. */
function matchSystemByName(choice: SystemChoice): [string, string] {
  const { ofA, ofB, systemA, systemB } = choice;
  const name = systemA ?? systemB ?? "";
  if (ofA.includes(name) && ofB.includes(name)) return [name, name];
  throw createAmbiguityError(choice, `${systemA === undefined ? "A" : "B"} has no system "${name}"`);
}

function requireDistinctSystems(a: string, b: string, { isSameRun, ...choice }: SystemChoice): [string, string] {
  if (!isSameRun || a !== b) return [a, b];
  throw new UsageError(
    choice.ofA.length === 1
      ? `A and B are the same run, and ${a} is its only system. Pass another run as B.`
      : `A and B are the same system ${a} of the same run. Select two systems with --system-a and --system-b. Systems: ${choice.ofA.join(", ")}.`,
  );
}

function createAmbiguityError({ ofA, ofB, isSameRun }: SystemChoice, why: string): UsageError {
  const systems = isSameRun
    ? `Systems: ${ofA.join(", ")}.`
    : `Systems of A: ${ofA.join(", ")}. Systems of B: ${ofB.join(", ")}.`;
  return new UsageError(`${why}. Select the systems with --system-a and --system-b. ${systems}`);
}

function describeOmittedSystems(side: string, names: readonly string[], shared: readonly string[]): string[] {
  const lone = names.filter((name) => !shared.includes(name));
  return lone.length === 0 ? [] : [`only in ${side}, not compared: ${lone.join(", ")}`];
}
