import { streamCsv } from "./csv.js";
import { RunHistory } from "./history.js";
import { streamQueryRows } from "./query.js";
import { quoteSql } from "./sql-error.js";
import { readStoredRuns } from "./stored-runs.js";

export interface ExportTrialsOptions {
  /** The run folder. */
  readonly dir: string;
  /** Also exports questions, outputs and evidence. */
  readonly withOutputs: boolean;
  /** Called with notes about what was left out. */
  readonly note: (text: string) => void;
}

/** Streams the trials of a run as CSV. They are sorted first, and not held as text or lines. */
export async function* streamTrialsCsv(options: ExportTrialsOptions): AsyncGenerator<string> {
  const history = await openRunHistory(options);
  try {
    yield* streamCsv(await streamQueryRows(await history.database.stream(buildTrialsStatement(options))));
  } finally {
    history.close();
  }
}

/** Writes the trials of a run as Parquet, with typed columns. */
export async function writeTrialsParquet(options: ExportTrialsOptions, file: string): Promise<void> {
  const history = await openRunHistory(options, file);
  try {
    await history.database.run(
      `copy (${buildTrialsStatement(options)}) to ${quoteSql(file)} (format parquet, compression snappy, use_tmp_file false)`,
    );
  } finally {
    history.close();
  }
}

async function openRunHistory({ dir, withOutputs, note }: ExportTrialsOptions, mayWrite?: string): Promise<RunHistory> {
  const { runs } = readStoredRuns([dir]);
  const views = new Set([withOutputs ? "trials" : "rows"] as const);
  const history = await RunHistory.open({ runs, views, ...(mayWrite === undefined ? {} : { mayWrite }) });
  for (const text of history.notes) note(text);
  return history;
}

/** Sorted independently of the order in which trials finished; numeric ids by value. */
function buildTrialsStatement({ withOutputs }: ExportTrialsOptions): string {
  const order = "system, dataset, try_cast(example_id as double) nulls last, example_id, trial";
  return `select * from ${withOutputs ? "trials" : "rows"} order by ${order}`;
}
