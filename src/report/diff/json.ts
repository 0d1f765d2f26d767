import type { TimelineEntry } from "../dashboard/steps.js";
import type { DiffSide, TrialDiff } from "./trial-diff.js";

/**
 * Two aligned trials as plain data.
 * @example
 * JSON.stringify(toTrialDiffJson(diffTrials(a, b)));
 */
export function toTrialDiffJson({ a, b, lines, divergence }: TrialDiff): object {
  return {
    schema: "assay.diff/1",
    a: describeSide(a),
    b: describeSide(b),
    divergence,
    steps: lines.map((line) => ({ sign: line.sign, a: describeEntry(line.a), b: describeEntry(line.b) })),
  };
}

function describeSide({ run, row, costUsd, tokens, requests, rest }: DiffSide): object {
  const { system, dataset, exampleId, trial, outcome } = row;
  return { run, system, dataset, exampleId, trial, outcome, costUsd, tokens, answers: requests, rest: toRest(rest) };
}

function toRest(rest: DiffSide["rest"]): object | null {
  return rest === null ? null : { costUsd: rest.costUsd, tokens: rest.tokens, answers: rest.requests };
}

function describeEntry(entry: TimelineEntry | null): object | null {
  if (entry === null) return null;
  const { atMs, kind, title, text, isSuccess } = entry.step;
  const result = entry.result === null ? null : { isSuccess: entry.result.isSuccess, text: entry.result.text };
  return { atMs, kind, title, text, isSuccess, result };
}
