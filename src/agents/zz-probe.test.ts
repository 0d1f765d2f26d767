import { expect, it } from "vitest";
import { countedBy, tryScripted } from "../scripted-trial.js";

it("probe", async () => {
  const { row, mock } = await tryScripted({
    does: [{ ask: true, silent: true }, { ask: true }, { end: "done" }],
    model: { faults: [{ kind: 500, every: 2 }] },
    run: { retry: { maxRetries: 1 } },
  });
  console.log(
    JSON.stringify(row.notes),
    JSON.stringify(row.usage),
    row.costUsd,
    JSON.stringify(countedBy(mock.requests)),
    row.attempts.length,
  );
  expect(1).toBe(1);
});
it("probe2", async () => {
  const { row } = await tryScripted({
    does: [{ ask: true }, { end: "done" }],
    model: { faults: [{ kind: 500 }] },
    run: { retry: { maxRetries: 1 } },
  });
  console.log(JSON.stringify(row.notes), JSON.stringify(row.usage), row.costUsd, row.costSource, row.attempts.length);
});
it("probe3 home deleted? stdout flood + stderr flood", async () => {
  const { row } = await tryScripted({
    does: [{ stderr: "e".repeat(5_000_000) }, { ask: true }, { end: "done" }],
  });
  console.log(row.outcome, row.notes);
});
it("probe4 first call refused by budget then retried?", async () => {
  const { row, mock } = await tryScripted({
    does: [{ ask: true, silent: true }, { ask: true, silent: true, again: true }, { end: "done" }],
    budgets: { max_cost_usd: 0.005 },
  });
  console.log(
    row.outcome,
    row.errorCategory,
    row.usage,
    row.costUsd,
    row.costKilledAt,
    row.turns,
    mock.requests.length,
    row.notes,
  );
});
