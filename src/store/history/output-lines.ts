import { EXAMPLES_FILE } from "../examples.js";
import { FILES } from "../journal.js";
import type { Lines } from "./line-source.js";
import { TRIAL_KEY, TRIAL_KEY_SQL } from "./row-lines.js";

/** What an output says, with the types it is read as. */
export const SAID = { output: "JSON", evidence: "JSON", grades: "JSON" } as const;

/** How lines of outputs.jsonl are read. */
export const OUTPUT_LINES: Omit<Lines, "files"> = {
  name: FILES.outputs,
  columns: { ...TRIAL_KEY, ...SAID, file: "VARCHAR" },
  key: TRIAL_KEY_SQL,
  isWhole: '(system is not null and "exampleId" is not null)',
};

/** How lines of examples.jsonl are read. */
export const EXAMPLE_LINES: Omit<Lines, "files"> = {
  name: EXAMPLES_FILE,
  columns: { dataset: "VARCHAR", id: "JSON", question: "VARCHAR", answer: "VARCHAR", answers: "VARCHAR[]" },
  key: ["coalesce(dataset, '')", "id"],
  isWhole: "(id is not null)",
};
