import { useEffect, useState } from "preact/hooks";
import type { LabelView, TrialLabel, TrialLabelDraft } from "../../../../src/report/dashboard/contract.js";
import { type LoadState, type TrialKey, useLoadState, useSource } from "../../data/index.js";

export interface Labels {
  readonly loaded: LoadState<LabelView>;
  /** The newest labels; null until they are read. */
  readonly view: LabelView | null;
  readonly canWrite: boolean;
  /** Why the last label was not written; null if it was. */
  readonly problem: string | null;
  save: (label: TrialLabelDraft) => Promise<boolean>;
}

/** The labels of a run's trials, and a way to add one. */
export function useLabels(id: string): Labels {
  const source = useSource();
  const loaded = useLoadState(() => source.getLabels(id), [source, id]);
  const access = useLoadState(() => source.canLabel(), [source]);
  const [written, setWritten] = useState<LabelView | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => setWritten(null), [id]);
  const save = async (label: TrialLabelDraft) => {
    try {
      setWritten(await source.saveLabel(id, label));
      setProblem(null);
      return true;
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
      return false;
    }
  };
  return { loaded, view: written ?? loaded.value, canWrite: access.value === true, problem, save };
}

export function formatLabelKey({ system, dataset, exampleId, trial }: TrialKey): string {
  return JSON.stringify([system, dataset, exampleId, trial]);
}

export function findLabel(view: LabelView | null, key: TrialKey): TrialLabel | null {
  const wanted = formatLabelKey(key);
  return view?.labels.find((label) => formatLabelKey(label) === wanted) ?? null;
}
