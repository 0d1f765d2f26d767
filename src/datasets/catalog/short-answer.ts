/** F1 counts every word that is not the answer's. */
const ASK = "Answer in as few words as possible.";

/**
 * A question whose answer is a name, a number or a phrase, and that asks for nothing around it.
 * @example
 * shortAnswer("Who?"); // "Who?\n\nAnswer in as few words as possible."
 */
export function shortAnswer(question: string): string {
  return `${question.trim()}\n\n${ASK}`;
}
