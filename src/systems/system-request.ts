import type { Example, Output, Spent, TrialContext } from "../core/index.js";
import { describeValue, TrialError } from "../core/index.js";
import type { JsonFields, LineRequest } from "../exec/index.js";
import { readRecord } from "./output-record.js";

/** Fields of examples that are for evaluators: a program or an address that is measured never sees them. */
export const EVALUATOR_FIELDS: readonly string[] = [
  "answer",
  "answers",
  "answer_index",
  "answerable",
  "baseline",
  "canonical_solution",
  "citations",
  "expected",
  "gold",
  "graders",
  "incorrect_answers",
  "instruction_id_list",
  "instruction_ids",
  "is_impossible",
  "kwargs",
  "label",
  "pattern",
  "reference",
  "references",
  "rubric",
  "solution",
  "target",
  "test",
  "test_imports",
  "test_list",
  "test_setup_code",
  "tests",
  "tool_calls",
  "unanswerable",
];

/** What a measured program is sent: the example without what evaluators need, the trial and its seed. */
export function toSystemRequest(
  example: Example,
  { trial, seed }: Pick<TrialContext, "trial" | "seed">,
  hidden: readonly string[] = [],
): LineRequest {
  const hides = new Set([...EVALUATOR_FIELDS, ...hidden]);
  const shown = Object.entries(example).filter(([field]) => !hides.has(field));
  return { id: example.id, trial, seed, ...Object.fromEntries(shown) };
}

export interface ReplyContext {
  /** Who answered, as shown in messages. */
  readonly label: string;
  readonly request: LineRequest;
  /** Added to the metadata of the row. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Codes for an answer that reports an error, and for one of the wrong form. */
  readonly codes: { readonly reported: string; readonly wrong: string };
}

/** Reads an answer: the same fields as a recorded output, or an `error`. */
export function readSystemReply(fields: JsonFields, { label, request, metadata, codes }: ReplyContext): Output {
  const { error, ...told } = omitEchoed(fields, request);
  const hasFailed = error !== undefined && error !== null && error !== "";
  // A failure needs no text, but may have a cost.
  const read = readRecord({ ...(hasFailed ? { response: "" } : {}), ...told, id: request.id });
  const output = "output" in read ? read.output : null;
  const refuse = (problem: string, message: string) =>
    new TrialError("system_error", message, { spent: toSpent(output, { ...metadata, problem }) });
  if (hasFailed) throw refuse(codes.reported, `${label} reported an error: ${describeReportedError(error)}`);
  if (output === null)
    throw refuse(
      codes.wrong,
      `${label} gave an answer that ${"problem" in read ? read.problem : ""}. Answer with {"id": …, "response": "…"} or {"id": …, "context": "…"}.`,
    );
  const own = { ...output.metadata, ...metadata };
  return Object.keys(own).length === 0 ? output : { ...output, metadata: own };
}

/** A program may answer with its changed request; what it did not change says nothing. Null is no text. */
function omitEchoed(fields: JsonFields, request: LineRequest): Record<string, unknown> {
  const kept = Object.entries(fields).filter(([field, value]) => {
    if (field === "response" || field === "context") return value !== null;
    return !(field in request) || JSON.stringify(value) !== JSON.stringify(request[field]);
  });
  return Object.fromEntries(kept);
}

function describeReportedError(error: unknown): string {
  if (typeof error === "string") return error;
  const { message } = (typeof error === "object" && error !== null ? error : {}) as { message?: unknown };
  return typeof message === "string" ? message : describeValue(error);
}

/** What a failed call cost is billed all the same. */
function toSpent(output: Output | null, metadata: Record<string, unknown>): Spent {
  const { usage, costUsd } = output ?? {};
  return {
    metadata,
    ...(usage === undefined ? {} : { usage }),
    ...(costUsd === undefined ? {} : { costUsd }),
  };
}
