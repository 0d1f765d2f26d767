import type { Example } from "../../core/example.js";

/**
 * Types of questions whose published answer says what a good answer takes into account, instead of giving one. LoCoMo has
 * none, and f1 is what its authors report.
 */
const RUBRIC_TYPES: readonly string[] = ["single-session-preference"];

/** What there is to say of questions that words shared with a gold answer tell little about. */
export function rubricNotes(examples: readonly Example[]): string[] {
  return RUBRIC_TYPES.flatMap((type) => {
    const count = examples.filter(({ question_type }) => question_type === type).length;
    if (count === 0) return [];
    return `${count} ${count === 1 ? "question" : "questions"} of the type ${type}: the gold says what a good answer takes into account, so that f1 means little there; have a judge decide (--judge-model, or \`judge\` in code)`;
  });
}
