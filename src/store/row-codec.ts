import { type EvalRow, hasRareFields, makeRow, OUTCOMES, RARE_FIELDS, type TrialKey } from "../core/row.js";

/**
 * What tells a trial from all others, as the first fields of its lines. Lines are put together by hand: they are
 * written by the million, and `JSON.stringify` on whole rows was the largest part of a fast run.
 */
export function encodeKey({ system, dataset, exampleId, trial }: TrialKey): string {
  const id = typeof exampleId === "number" ? exampleId : quote(exampleId);
  return `"system":${quote(system)},"dataset":${quote(dataset)},"exampleId":${id},"trial":${trial}`;
}

/** A row as one line of JSON. Fields at their neutral value are left out: most of a row is. */
export function encodeRow(row: EvalRow, key = encodeKey(row)): string {
  let line = `{${key},"outcome":"${row.outcome}","errorCategory":"${row.errorCategory}","scores":${JSON.stringify(row.scores)}`;
  if (row.primaryField !== null) line += `,"primaryField":${quote(row.primaryField)}`;
  if (row.passed !== null) line += `,"passed":${row.passed}`;
  line += `,"inputTokens":${row.inputTokens},"outputTokens":${row.outputTokens}`;
  if (row.latency !== null) line += `,"latency":${row.latency}`;
  if (row.durationMs !== null) line += `,"durationMs":${row.durationMs}`;
  return hasRareFields(row) ? `${line}${encodeRareFields(row)}}` : `${line}}`;
}

function encodeRareFields(row: EvalRow): string {
  const own = RARE_FIELDS.filter((field) => Object.hasOwn(row, field));
  return own.map((field) => `,"${field}":${JSON.stringify(row[field])}`).join("");
}

const NEEDS_NO_ESCAPE = /^[\w .:,/-]*$/;

function quote(text: string): string {
  return NEEDS_NO_ESCAPE.test(text) ? `"${text}"` : JSON.stringify(text);
}

/** The row of a line written by `encodeRow`, of this version or an older one. */
export function decodeRow(line: string): EvalRow {
  const row = JSON.parse(line) as EvalRow;
  const isRow = typeof row?.system === "string" && row.exampleId !== undefined && OUTCOMES.includes(row.outcome);
  if (!isRow) throw new SyntaxError("it lacks a system, an exampleId or an outcome");
  return makeRow(row);
}
