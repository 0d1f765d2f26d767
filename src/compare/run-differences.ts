import type { DatasetConfig, EvalConfig } from "../core/result.js";

/** What differs between how two runs were made and may be the reason of a difference in figures; in words. */
export function runDifferences(a: EvalConfig, b: EvalConfig): string[] {
  return [
    ...differs("the threshold", [a.threshold, b.threshold], "the pass rates are not by the same rule"),
    ...differs("the deciding score", [a.scoreField, b.scoreField], "the scores are not the same"),
    ...differs("the tokenizer", [a.tokenizer, b.tokenizer], "tokens are not counted the same way"),
    ...differs("the number of trials", [a.trials, b.trials]),
    ...datasetPairs(a, b).flatMap(datasetDifferences),
  ];
}

function differs(what: string, [a, b]: readonly [unknown, unknown], so?: string): string[] {
  if (a === b) return [];
  return [`${what} differs: ${String(a)} in A, ${String(b)} in B${so === undefined ? "" : `; ${so}`}`];
}

/** Datasets of the same name; a single one of each run is the same under another name. */
function datasetPairs(a: EvalConfig, b: EvalConfig): (readonly [DatasetConfig, DatasetConfig])[] {
  const [onlyA, onlyB] = [a.datasets[0], b.datasets[0]];
  const isSingle = a.datasets.length === 1 && b.datasets.length === 1;
  if (isSingle && onlyA !== undefined && onlyB !== undefined) return [[onlyA, onlyB]];
  return a.datasets.flatMap((dataset) => {
    const same = b.datasets.find(({ name }) => name === dataset.name);
    return same === undefined ? [] : [[dataset, same] as const];
  });
}

function datasetDifferences([a, b]: readonly [DatasetConfig, DatasetConfig]): string[] {
  const name = a.name === "" ? "the dataset" : a.name;
  const content =
    a.fingerprint === b.fingerprint
      ? []
      : [`the examples of ${name} are not the same in both: those with the same id are paired, whatever they say`];
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
