import type { RawRow } from "../source-row.js";
import { goldText } from "./gold.js";
import { text } from "./read-column.js";

/** What scores summaries, the deciding one first. */
export const SUMMARY_SCORING = {
  evaluators: ["summarization_quality", "answer_quality"],
  primaryField: "rouge_l_f1",
} as const;

/** What is to be summarised, and where a row has it. */
export interface Summarising {
  /** The kind of text, such as "this report". */
  readonly what: string;
  /** How long the summary should be, such as "one paragraph"; as long as the gold ones are. */
  readonly length: string;
  readonly document: string;
  readonly summary: string;
}

/**
 * The fields of an example that asks for a summary.
 * @example
 * summarise(row, { what: "this report", length: "one page", document: "report", summary: "summary" });
 */
export function summarise(row: RawRow, { what, length, document, summary }: Summarising) {
  return { context: text(row, document), question: askForSummary(what, length), answer: goldText(row, summary) };
}

/** The sentence that asks for a summary. */
export function askForSummary(what: string, length: string): string {
  return `Summarise ${what} in ${length}. Answer with the summary alone.`;
}
