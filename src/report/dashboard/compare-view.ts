import { type ComparedRun, compareRuns, type RunName } from "../../metrics/compare/index.js";
import type { CompareView, RunCard } from "./contract.js";

interface ComparedRunView {
  card: RunCard;
  result: ComparedRun;
}

export interface CompareViewRequest {
  a: ComparedRunView;
  b: ComparedRunView;
  systemA?: string | undefined;
  systemB?: string | undefined;
}

/**
 * Compares two runs, or two systems of one run. Runs are named by id, because their paths are private to the machine.
 * @example
 * buildCompareView({ a: { card, result }, b: { card: later, result: await loadRun(dir) } });
 */
export function buildCompareView({ a, b, systemA, systemB }: CompareViewRequest): CompareView {
  const compared = compareRuns(a.result, b.result, { systemA, systemB });
  const isSame = a.card.id === b.card.id;
  return {
    a: a.card,
    b: b.card,
    comparison: {
      ...compared,
      a: renameRun(compared.a, a.card),
      b: renameRun(compared.b, b.card),
      notes: [
        ...compared.notes,
        ...describeUnrunTrials("A", a.card),
        ...(isSame ? [] : describeUnrunTrials("B", b.card)),
      ],
    },
  };
}

function renameRun(name: RunName, { id }: RunCard): RunName {
  return { ...name, run: id };
}

function describeUnrunTrials(side: string, { planned, done }: RunCard): string[] {
  const missing = planned - done;
  return missing > 0 ? [`planned trials of ${side} that were not run: ${missing}`] : [];
}
