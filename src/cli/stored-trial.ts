import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf, RunFolderError } from "../core/errors.js";
import type { EvalRow } from "../core/row.js";
import { readLines } from "../files/lines.js";
import type { StoredTrial } from "../report/show-trial.js";
import { FILES } from "../store/journal.js";
import { encodeKey } from "../store/row-codec.js";

type StoredLine = Partial<Pick<StoredTrial, "output" | "evidence">> & { file?: string };

/**
 * What a run folder holds of one trial. The outputs of a run may be larger than memory, and most of the time would go
 * into parsing them: lines of other trials are told by how they begin, and never parsed.
 */
export function readTrial(dir: string, row: EvalRow): StoredTrial {
  const path = join(dir, FILES.outputs);
  const line = existsSync(path) ? lastLineOf(path, row) : null;
  const { output = null, evidence = null } = line === null ? {} : decode(line, { path, dir });
  return { row, output, evidence };
}

/** A trial that was run again has several, and the last one counts. */
function lastLineOf(path: string, row: EvalRow): string | null {
  const start = `{${encodeKey(row)},`;
  let last: string | null = null;
  for (const { text, terminated } of readLines(path)) if (terminated && text.startsWith(start)) last = text;
  return last;
}

function decode(line: string, { path, dir }: { path: string; dir: string }): StoredLine {
  try {
    const stored = JSON.parse(line) as StoredLine;
    return stored.file === undefined
      ? stored
      : (JSON.parse(readFileSync(join(dir, stored.file), "utf8")) as StoredLine);
  } catch (cause) {
    throw new RunFolderError(`The output of this trial in ${path} cannot be read: ${messageOf(cause)}.`, { cause });
  }
}
