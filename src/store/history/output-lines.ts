import { EXAMPLES_FILE } from "../examples.js";
import { RUN_FILES } from "../journal.js";
import type { LineTable } from "./line-source.js";
import { TRIAL_KEY_SQL, TRIAL_KEY_TYPES } from "./row-lines.js";

/** The fields of an output with their types. */
export const OUTPUT_FIELD_TYPES = { output: "JSON", evidence: "JSON", grades: "JSON" } as const;

/** Reads lines of outputs.jsonl. */
export const OUTPUT_TABLE: Omit<LineTable, "files"> = {
  name: RUN_FILES.outputs,
  columns: { ...TRIAL_KEY_TYPES, ...OUTPUT_FIELD_TYPES, file: "VARCHAR" },
  key: TRIAL_KEY_SQL,
  isWhole: '(system is not null and "exampleId" is not null)',
};

/** Reads lines of examples.jsonl. */
export const EXAMPLE_TABLE: Omit<LineTable, "files"> = {
  name: EXAMPLES_FILE,
  columns: { dataset: "VARCHAR", id: "JSON", question: "VARCHAR", answer: "VARCHAR", answers: "VARCHAR[]" },
  key: ["coalesce(dataset, '')", "id"],
  isWhole: "(id is not null)",
};
