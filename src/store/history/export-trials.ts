import { csvText } from "./csv.js";
import { History } from "./history.js";
import { linesOf } from "./query.js";
import { quoted } from "./sql-error.js";
import { readRuns } from "./stored-runs.js";

export interface TrialsOptions {
  /** The run folder. */
  readonly dir: string;
  /** Also exports questions, outputs and evidence. */
  readonly withOutputs: boolean;
  /** Called with notes about what was left out. */
  readonly note: (text: string) => void;
}

/** Streams the trials of a run as CSV. They are sorted first, and not held as text or lines. */
export async function* csvPieces(options: TrialsOptions): AsyncGenerator<string> {
  const history = await openRun(options);
  try {
    yield* csvText(await linesOf(await history.database.stream(statementOf(options))));
  } finally {
    history.close();
  }
}

/** Writes the trials of a run as Parquet, with typed columns. */
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

/** Sorted independently of the order in which trials finished; numeric ids by value. */
function statementOf({ withOutputs }: TrialsOptions): string {
  const order = "system, dataset, try_cast(example_id as double) nulls last, example_id, trial";
  return `select * from ${withOutputs ? "trials" : "rows"} order by ${order}`;
}
