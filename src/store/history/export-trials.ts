import { csvText } from "./csv.js";
import { History } from "./history.js";
import { linesOf } from "./query.js";
import { quoted } from "./sql-error.js";
import { readRuns } from "./stored-runs.js";

/** Which trials are exported, and how much of them. */
export interface TrialsOptions {
  /** The run folder. */
  readonly dir: string;
  /** With what was asked, answered and found. */
  readonly withOutputs: boolean;
  /** Told what was left out. */
  readonly note: (text: string) => void;
}

/** The trials of a run as CSV, piece by piece. They are put in order before the first, and not held as text or lines. */
export async function* csvPieces(options: TrialsOptions): AsyncGenerator<string> {
  const history = await openRun(options);
  try {
    yield* csvText(await linesOf(await history.database.stream(statementOf(options))));
  } finally {
    history.close();
  }
}

/** Writes the trials of a run as Parquet, with the types of the columns. */
export async function writeParquet(options: TrialsOptions, file: string): Promise<void> {
  const history = await openRun(options, file);
  try {
    await history.database.run(
      `copy (${statementOf(options)}) to ${quoted(file)} (format parquet, compression snappy, use_tmp_file false)`,
    );
  } finally {
    history.close();
  }
}

async function openRun({ dir, withOutputs, note }: TrialsOptions, mayWrite?: string): Promise<History> {
  const { runs } = readRuns([dir]);
  const views = new Set([withOutputs ? "trials" : "rows"] as const);
  const history = await History.open({ runs, views, ...(mayWrite === undefined ? {} : { mayWrite }) });
  for (const text of history.notes) note(text);
  return history;
}

/** In an order that does not depend on which trial was finished first; ids that are numbers by their value. */
function statementOf({ withOutputs }: TrialsOptions): string {
  const order = "system, dataset, try_cast(example_id as double) nulls last, example_id, trial";
  return `select * from ${withOutputs ? "trials" : "rows"} order by ${order}`;
}
