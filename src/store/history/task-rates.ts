import type { TaskRate, TrialKey } from "../../core/index.js";
import { RunHistory } from "./history.js";
import { streamQueryRows } from "./query.js";
import { quoteSql } from "./sql-error.js";
import type { StoredRun } from "./stored-runs.js";

/** A run, and its trials that do not count. */
export interface CountedRun extends StoredRun {
  readonly quarantined: readonly TrialKey[];
}

/** How often each task passed under each system of these runs, and its mean score. */
export async function readTaskRates(
  runs: readonly CountedRun[],
): Promise<{ rates: TaskRate[]; notes: readonly string[] }> {
  const history = await RunHistory.open({ runs, views: new Set(["rows"] as const) });
  try {
    const { pieces } = await streamQueryRows(await history.database.stream(buildStatement(runs)));
    const rates: TaskRate[] = [];
    for await (const rows of pieces())
      for (const row of rows)
        rates.push({
          run: readText(row.run),
          system: readText(row.system),
          dataset: readText(row.dataset),
          exampleId: readText(row.example_id),
          passRate: Number(row.pass_rate),
          score: typeof row.score === "number" ? row.score : null,
        });
    return { rates, notes: history.notes };
  } finally {
    history.close();
  }
}

/** These columns are text. */
function readText(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function buildStatement(runs: readonly CountedRun[]): string {
  const aside = runs.flatMap(({ run, quarantined }) =>
    quarantined.map(
      ({ system, dataset, exampleId, trial }) =>
        `(${[run, system, dataset, String(exampleId)].map(quoteSql).join(", ")}, ${trial})`,
    ),
  );
  const counted =
    aside.length === 0 ? "" : ` and (run, system, dataset, example_id, trial) not in (${aside.join(", ")})`;
  return `select run, system, dataset, example_id, avg(if(passed, 1.0, 0.0)) as pass_rate, avg(score) as score from rows where outcome in ('pass', 'fail')${counted} group by all order by run, system, dataset, example_id`;
}
