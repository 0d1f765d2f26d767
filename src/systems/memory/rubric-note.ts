import type { Example } from "../../core/example.js";

/**
 * Question types whose published answer describes what a good answer must consider instead of giving one. LoCoMo has none,
 * and its authors report f1.
 */
const RUBRIC_TYPES: readonly string[] = ["single-session-preference"];

/** Notes about questions for which f1 says little. */
export function listRubricNotes(examples: readonly Example[]): string[] {
  return RUBRIC_TYPES.flatMap((type) => {
    const count = examples.filter(({ question_type }) => question_type === type).length;
    if (count === 0) return [];
    return `${count} ${count === 1 ? "question" : "questions"} of the type ${type}: the gold answer describes what a good answer must consider, so f1 says little; use a judge (--judge-model, or \`judge\` in code)`;
  });
}
