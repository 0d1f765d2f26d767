import { UsageError } from "../../core/errors.js";
import type { DatasetConfig, EvalConfig, EvalResult } from "../../core/result.js";
import { didYouMean } from "../../core/suggest.js";
import { adjustTogether } from "./adjust.js";
import { compareRows } from "./compare-rows.js";
import { type CompareOptions, type Comparison, DEFAULT_LEVEL } from "./comparison.js";

/** A run as far as a comparison reads it. */
export type ComparedRun = Pick<EvalResult, "rows" | "config" | "runDir">;

/** Options of `compareRuns`: which system of each run, and those of `compareRows`. */
export interface CompareRunsOptions extends Omit<CompareOptions, "keyOf" | "scoreField"> {
  systemA?: string | undefined;
  systemB?: string | undefined;
}

/** Two runs, system by system. */
export interface RunComparison {
  a: RunName;
  b: RunName;
  level: number;
  comparisons: readonly Comparison[];
  /** What holds for all of them, such as that the runs have different thresholds. */
  notes: readonly string[];
}

/** The folder of a run, when it is stored, and its title. */
export interface RunName {
  run: string | null;
  title: string;
}

/**
 * Compares two runs of any kind: the systems that are named, the only ones, or those of the same name.
 * @example
 * const { comparisons } = compareRuns(await loadRun(before), await loadRun(after));
 */
export function compareRuns(a: ComparedRun, b: ComparedRun, options: CompareRunsOptions = {}): RunComparison {
  const { systemA, systemB, ...rest } = options;
  const isSameRun = a === b || (a.runDir !== null && a.runDir === b.runDir);
  const [ofA, ofB] = [a.config.systems, b.config.systems];
  const { pairs, notes } = chooseSystems({ ofA, ofB, isSameRun, systemA, systemB });
  const scoreField = sharedField(a.config, b.config);
  const comparisons = pairs.map(([nameA, nameB]) => ({
    ...compareRows(rowsOf(a, nameA), rowsOf(b, nameB), { ...rest, scoreField }),
    // A system without rows has its name all the same.
    systemA: nameA,
    systemB: nameB,
  }));
  const together = pairs.length > 1 ? [`p is adjusted over the metrics of all ${pairs.length} systems together`] : [];
  return {
    a: nameOf(a),
    b: nameOf(b),
    level: rest.level ?? DEFAULT_LEVEL,
    comparisons: adjustTogether(comparisons),
    notes: [...runDifferences(a.config, b.config), ...notes, ...together],
  };
}

function rowsOf({ rows }: ComparedRun, system: string) {
  return rows.filter((row) => row.system === system);
}

/** Runs that were decided by different fields are compared by what was primary in each. */
function sharedField(a: EvalConfig, b: EvalConfig): string {
  return a.scoreField === b.scoreField ? a.scoreField : "score";
}

function nameOf({ runDir, config }: ComparedRun): RunName {
  return { run: runDir, title: config.title };
}

/** What differs between how two runs were made and may be the reason of a difference in figures; in words. */
export function runDifferences(a: EvalConfig, b: EvalConfig): string[] {
  return [
    ...differs("the threshold", [a.threshold, b.threshold], "the pass rates are not by the same rule"),
    ...differs("the deciding score", [a.scoreField, b.scoreField], "the scores are not the same"),
    ...differs("the tokenizer", [a.tokenizer, b.tokenizer], "tokens are not counted the same way"),
    ...differs("the number of trials", [a.trials, b.trials]),
    ...(isSingle(a, b) ? [] : [...onlyIn("A", a, b), ...onlyIn("B", b, a)]),
    ...datasetPairs(a, b).flatMap(datasetDifferences),
  ];
}

function differs(what: string, [a, b]: readonly [unknown, unknown], so?: string): string[] {
  if (a === b) return [];
  return [`${what} differs: ${String(a)} in A, ${String(b)} in B${so === undefined ? "" : `; ${so}`}`];
}

function isSingle(a: EvalConfig, b: EvalConfig): boolean {
  return a.datasets.length === 1 && b.datasets.length === 1;
}

function onlyIn(side: "A" | "B", own: EvalConfig, others: EvalConfig): string[] {
  const alone = own.datasets.filter(({ name }) => !others.datasets.some((other) => other.name === name));
  const other = side === "A" ? "B" : "A";
  return alone.map(({ name }) => `${other} has no dataset ${called(name)}: what ${side} did with it has no partner`);
}

/** Datasets of the same name; a single one of each run is the same under another name. */
function datasetPairs(a: EvalConfig, b: EvalConfig): (readonly [DatasetConfig, DatasetConfig])[] {
  const [onlyA, onlyB] = [a.datasets[0], b.datasets[0]];
  if (isSingle(a, b) && onlyA !== undefined && onlyB !== undefined) return [[onlyA, onlyB]];
  return a.datasets.flatMap((dataset) => {
    const same = b.datasets.find(({ name }) => name === dataset.name);
    return same === undefined ? [] : [[dataset, same] as const];
  });
}

function datasetDifferences([a, b]: readonly [DatasetConfig, DatasetConfig]): string[] {
  const name = a.name === "" ? "the dataset" : a.name;
  const content = a.fingerprint === b.fingerprint ? [] : [contentWords(a, b)];
  const changed = Object.keys(a.evaluators).filter((evaluator) => {
    const other = Object.hasOwn(b.evaluators, evaluator) ? b.evaluators[evaluator] : undefined;
    return other !== undefined && other.fingerprint !== a.evaluators[evaluator]?.fingerprint;
  });
  return [
    ...content,
    ...differs(`the primary field of ${name}`, [a.primaryField, b.primaryField]),
    ...changed.map((evaluator) => `${name}: the evaluator ${evaluator} has other code or settings in B`),
  ];
}

function contentWords(a: DatasetConfig, b: DatasetConfig): string {
  const so = "those with the same id are paired, whatever they say";
  if (a.name === b.name) return `the examples of ${a.name || "the dataset"} are not the same in both: ${so}`;
  return `B has no dataset ${called(a.name)}: its own, ${called(b.name)}, has other examples, and ${so}`;
}

function called(name: string): string {
  return name === "" ? "without a name" : name;
}

/** The systems of two runs, and which of them are meant. */
export interface SystemChoice {
  ofA: readonly string[];
  ofB: readonly string[];
  /** A and B are one run. */
  isSameRun: boolean;
  systemA?: string | undefined;
  systemB?: string | undefined;
}

export interface ChosenSystems {
  pairs: readonly (readonly [a: string, b: string])[];
  notes: readonly string[];
}

/**
 * Which system of A is held against which of B: those that are named, the only ones, or those of the same name.
 * @example
 * chooseSystems({ ofA: ["gpt-5"], ofB: ["gpt-5.5"], isSameRun: false }); // { pairs: [["gpt-5", "gpt-5.5"]], notes: [] }
 */
export function chooseSystems(choice: SystemChoice): ChosenSystems {
  const { ofA, ofB, isSameRun } = choice;
  const systemA = known("a", choice.systemA, ofA) ?? only(ofA);
  const systemB = known("b", choice.systemB, ofB) ?? only(ofB);
  if (systemA !== undefined && systemB !== undefined) return { pairs: [checked(systemA, systemB, choice)], notes: [] };
  if (isSameRun) throw ambiguous(choice, "A and B are the same run");
  if (choice.systemA !== undefined || choice.systemB !== undefined) return { pairs: [sameName(choice)], notes: [] };
  const shared = ofA.filter((name) => ofB.includes(name));
  if (shared.length === 0) throw ambiguous(choice, "The runs have no system of the same name");
  const lone = [...leftOut("A", ofA, shared), ...leftOut("B", ofB, shared)];
  return { pairs: shared.map((name) => [name, name]), notes: lone };
}

function known(side: "a" | "b", name: string | undefined, names: readonly string[]): string | undefined {
  if (name === undefined || names.includes(name)) return name;
  throw new UsageError(`--system-${side} ${name}: ${side.toUpperCase()} has no such system.${didYouMean(name, names)}`);
}

function only(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined;
}

/** Of two runs one system was named, and the other run has several: it is that of the same name, or must be named. */
function sameName(choice: SystemChoice): [string, string] {
  const { ofA, ofB, systemA, systemB } = choice;
  const name = systemA ?? systemB ?? "";
  if (ofA.includes(name) && ofB.includes(name)) return [name, name];
  throw ambiguous(choice, `${systemA === undefined ? "A" : "B"} has no system "${name}"`);
}

function checked(a: string, b: string, { isSameRun, ...choice }: SystemChoice): [string, string] {
  if (!isSameRun || a !== b) return [a, b];
  throw new UsageError(
    choice.ofA.length === 1
      ? `A and B are the same run, and ${a} is its only system: there is nothing to compare it with. Name another run as B.`
      : `A and B are both the system ${a} of the same run: name two with --system-a and --system-b. Systems: ${choice.ofA.join(", ")}.`,
  );
}

function ambiguous({ ofA, ofB }: SystemChoice, why: string): UsageError {
  return new UsageError(
    `${why}: say which systems to compare with --system-a and --system-b. Systems of A: ${ofA.join(", ")}. Systems of B: ${ofB.join(", ")}.`,
  );
}

function leftOut(side: string, names: readonly string[], shared: readonly string[]): string[] {
  const lone = names.filter((name) => !shared.includes(name));
  return lone.length === 0 ? [] : [`only in ${side}, and not compared: ${lone.join(", ")}`];
}
