import { makeRow } from "../../../src/core/row.js";
import { createRunCard } from "../../../src/report/dashboard/card-testing.js";
import type {
  DisplayField,
  EmbeddedReport,
  RowChunk,
  RunView,
  TrialView,
} from "../../../src/report/dashboard/contract.js";

/** A system, and how each of its trials ended. */
export interface SampleTrials {
  system: string;
  outcomes: readonly ("pass" | "fail")[];
}

const SAMPLE_OUTCOMES = ["pass", "fail"] as const;
const SAMPLE_EXAMPLE = { dataset: "qa", exampleId: "e1" };

/** A report of one example with several systems and trials. Trials in `leftOut` have no texts. */
export function createSampleReport(
  systems: readonly SampleTrials[],
  { leftOut = [], output = [] }: { leftOut?: readonly number[]; output?: readonly DisplayField[] } = {},
): EmbeddedReport {
  const rows = systems.flatMap(({ system, outcomes }) =>
    outcomes.map((outcome, trial) => makeRow({ ...SAMPLE_EXAMPLE, system, trial, outcome })),
  );
  const trials = rows.map((row): TrialView => {
    const siblings = rows.filter((other) => other !== row).map((other) => ({ ...other, score: null }));
    const nothing = { example: null, evidence: {}, grades: [], timeline: null, changes: null, classes: [] };
    return { run: "r1", row, threshold: 0.7, ...nothing, output, siblings };
  });
  const names = systems.map(({ system }) => system);
  return {
    schema: "assay.page/1",
    run: { card: createRunCard("r1") } as RunView,
    head: {
      schema: "assay.rows/1",
      total: rows.length,
      systems: names,
      datasets: ["qa"],
      outcomes: SAMPLE_OUTCOMES,
      categories: ["none"],
      fields: [],
    },
    chunks: [
      {
        start: 0,
        system: rows.map(({ system }) => names.indexOf(system)),
        dataset: rows.map(() => 0),
        outcome: rows.map(({ outcome }) => SAMPLE_OUTCOMES.indexOf(outcome as (typeof SAMPLE_OUTCOMES)[number])),
        id: rows.map(({ exampleId }) => exampleId),
        trial: rows.map(({ trial }) => trial),
      } as unknown as RowChunk,
    ],
    trials: trials.filter(({ row }) => !leftOut.includes(row.trial)),
    comparisons: [],
    trialsLeftOut: leftOut.length,
  };
}
