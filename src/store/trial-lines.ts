import { messageOf } from "../core/errors.js";
import type { Output } from "../core/system.js";
import type { EncodedTrial, FinishedTrial } from "../runner/ports.js";
import { encodeKey, encodeRow } from "./row-codec.js";

/** Outputs above this many characters of JSON become files beside the journal, so that its lines stay readable. */
export const LARGE_OUTPUT = 1 << 20;

/** A finished trial as the lines of a journal, without their line feeds. */
export function encodeTrial({ row, output, evidence, grades }: FinishedTrial): EncodedTrial {
  const key = encodeKey(row);
  return { row: encodeRow(row), output: output === null ? null : outputLine(key, output, { evidence, grades }) };
}

function outputLine(
  key: string,
  output: Output,
  { evidence, grades }: Pick<FinishedTrial, "evidence" | "grades">,
): string {
  const shown = evidence === null ? "" : `,"evidence":${JSON.stringify(evidence)}`;
  const said = grades === null ? "" : `,"grades":${JSON.stringify(grades)}`;
  return `{${key},"output":${outputJson(output)}${shown}${said}}`;
}

/** An output that JSON cannot hold (a circle, a BigInt) costs its own record, not the run: its row and scores stand. */
function outputJson(output: Output): string {
  try {
    return JSON.stringify(output);
  } catch (error) {
    return JSON.stringify({ notRecorded: `the output cannot be written as JSON: ${messageOf(error)}` });
  }
}
