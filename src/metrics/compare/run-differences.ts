import type { DatasetConfig, EvalConfig } from "../../core/result.js";

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
