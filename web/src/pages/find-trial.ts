import type { Outcome } from "../../../src/core/row.js";
import type { RowChunk, RowsHead } from "../../../src/report/dashboard/contract.js";
import type { DataSource, TrialKey } from "../data/index.js";

/**
 * The first trial of an example with an outcome, or the given trial when there is none. Asks a trial of the example
 * first,
 * and reads all rows only where that fails.
 * @example
 * await findTrialByOutcome(source, run, { key: { system: "a", dataset: "d", exampleId: 1, trial: 0 }, outcome: "fail" });
 */
export async function findTrialByOutcome(
  source: DataSource,
  run: string,
  { key, outcome }: OutcomeQuery,
): Promise<TrialKey> {
  try {
    const { row, siblings } = await source.getTrial(run, key);
    const own = [row, ...siblings].filter(({ system }) => system === key.system);
    return selectFirstTrial(own.filter((trial) => trial.outcome === outcome)) ?? key;
  } catch {
    return (await findTrialInRows(source, run, { key, outcome })) ?? key;
  }
}

export interface OutcomeQuery {
  readonly key: TrialKey;
  readonly outcome: Outcome;
}

function selectFirstTrial(trials: readonly TrialKey[]): TrialKey | null {
  const [first] = [...trials].sort((a, b) => a.trial - b.trial);
  if (first === undefined) return null;
  const { system, dataset, exampleId, trial } = first;
  return { system, dataset, exampleId, trial };
}

async function findTrialInRows(source: DataSource, run: string, ending: OutcomeQuery): Promise<TrialKey | null> {
  const found: TrialKey[] = [];
  let head: RowsHead | null = null;
  const receive = {
    head: (said: RowsHead) => {
      head = said;
    },
    chunk: (chunk: RowChunk) => {
      if (head !== null) found.push(...listTrialsInChunk(chunk, head, ending));
    },
  };
  await source.readRows(run, receive, new AbortController().signal);
  return selectFirstTrial(found);
}

function listTrialsInChunk(chunk: RowChunk, head: RowsHead, { key, outcome }: OutcomeQuery): TrialKey[] {
  const wanted = [
    head.systems.indexOf(key.system),
    head.datasets.indexOf(key.dataset),
    head.outcomes.indexOf(outcome),
  ] as const;
  return chunk.id.flatMap((exampleId, place) => {
    const isWanted =
      exampleId === key.exampleId &&
      chunk.system[place] === wanted[0] &&
      chunk.dataset[place] === wanted[1] &&
      chunk.outcome[place] === wanted[2];
    return isWanted ? [{ ...key, trial: chunk.trial[place] ?? key.trial }] : [];
  });
}
