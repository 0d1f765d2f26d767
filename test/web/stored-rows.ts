import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { EvalRow } from "assay";

export function readStoredRows(runsDir: string, run: string): EvalRow[] {
  const text = readFileSync(join(runsDir, run, "rows.jsonl"), "utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as EvalRow);
}
