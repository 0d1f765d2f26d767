import { EXAMPLES_FILE } from "../examples.js";
import { FILES } from "../journal.js";
import type { Lines } from "./line-source.js";
import { TRIAL_KEY, TRIAL_KEY_SQL } from "./row-lines.js";

/** The fields of an output with their types. */
export const SAID = { output: "JSON", evidence: "JSON", grades: "JSON" } as const;

/** Reads lines of outputs.jsonl. */
export const OUTPUT_LINES: Omit<Lines, "files"> = {
  name: FILES.outputs,
  columns: { ...TRIAL_KEY, ...SAID, file: "VARCHAR" },
  key: TRIAL_KEY_SQL,
  isWhole: '(system is not null and "exampleId" is not null)',
};

/** Reads lines of examples.jsonl. */
export const EXAMPLE_LINES: Omit<Lines, "files"> = {
  name: EXAMPLES_FILE,
  columns: { dataset: "VARCHAR", id: "JSON", question: "VARCHAR", answer: "VARCHAR", answers: "VARCHAR[]" },
  key: ["coalesce(dataset, '')", "id"],
  isWhole: "(id is not null)",
};
