import type { Outcome } from "../../../../src/core/row.js";
import type { RowChunk, RowsHead } from "../../../../src/report/dashboard/contract.js";
import type { DataSource, TrialKey } from "../../data/source.js";

/**
 * The first trial of an example that ended in a way; the one that is named when none did. What a trial knows of the
 * others of its example is asked first, and all rows only where that trial cannot be had.
 * @example
 * await trialThatEnded(source, run, { key: { system: "a", dataset: "d", exampleId: 1, trial: 0 }, outcome: "fail" });
 */
export async function trialThatEnded(source: DataSource, run: string, { key, outcome }: Ending): Promise<TrialKey> {
  try {
    const { row, siblings } = await source.trial(run, key);
    const own = [row, ...siblings].filter(({ system }) => system === key.system);
    return firstOf(own.filter((trial) => trial.outcome === outcome)) ?? key;
  } catch {
    return (await inRows(source, run, { key, outcome })) ?? key;
  }
}

export interface Ending {
  readonly key: TrialKey;
  readonly outcome: Outcome;
}

function firstOf(trials: readonly TrialKey[]): TrialKey | null {
  const [first] = [...trials].sort((a, b) => a.trial - b.trial);
  if (first === undefined) return null;
  const { system, dataset, exampleId, trial } = first;
  return { system, dataset, exampleId, trial };
}

async function inRows(source: DataSource, run: string, ending: Ending): Promise<TrialKey | null> {
  const found: TrialKey[] = [];
  let head: RowsHead | null = null;
  const receive = {
    head: (said: RowsHead) => {
      head = said;
    },
    chunk: (chunk: RowChunk) => {
      if (head !== null) found.push(...inChunk(chunk, head, ending));
    },
  };
  await source.rows(run, receive, new AbortController().signal);
  return firstOf(found);
}

function inChunk(chunk: RowChunk, head: RowsHead, { key, outcome }: Ending): TrialKey[] {
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
