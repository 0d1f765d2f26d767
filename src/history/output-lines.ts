import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { EXAMPLES_FILE } from "../store/examples.js";
import { FILES } from "../store/journal.js";
import type { LineFile } from "./line-files.js";
import type { Lines } from "./line-source.js";
import { TRIAL_KEY, TRIAL_KEY_SQL } from "./row-lines.js";
import { quotedList } from "./sql-text.js";
import type { StoredRun } from "./stored-runs.js";

const SAID = { output: "JSON", evidence: "JSON", grades: "JSON" } as const;

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

/** An output that is larger is left out: whole it would not fit into the memory of a query. */
const LARGEST = 128 << 20;

/** The outputs that were too large for a line, as files of their own. */
export function outputFiles(runs: readonly StoredRun[]): { files: LineFile[]; largest: number; notes: string[] } {
  const files: LineFile[] = [];
  const notes: string[] = [];
  let largest = 0;
  for (const { run, dir } of runs) {
    for (const path of filesIn(join(dir, "outputs"))) {
      const { size } = statSync(path);
      if (size > LARGEST) notes.push(`${run}: an output of ${Math.round(size / 1e6)} MB was left out`);
      else files.push({ run, path });
      largest = Math.max(largest, Math.min(size, LARGEST));
    }
  }
  return { files, largest, notes };
}

function filesIn(dir: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir)
    .filter((name) => name.endsWith(".json"))
    .map((name) => join(dir, name));
}

/** SQL over outputs in files of their own, by path. */
export function outputFileReader(files: readonly LineFile[], largest: number): string {
  if (files.length === 0)
    return "select null::json as output, null::json as evidence, null::json as grades, null::varchar as path where false";
  const fields = Object.entries(SAID).map(([name, type]) => `'${name}': '${type}'`);
  const paths = quotedList(files.map(({ path }) => path));
  return `select * from read_json(${paths}, format = 'newline_delimited', columns = {${fields.join(", ")}}, filename = 'path', ignore_errors = true, maximum_object_size = ${Math.max(largest + 1, 1 << 24)})`;
}
