/** What the worker thread is asked: whether a pattern occurs in a text. */
export interface PatternQuestion {
  pattern: string;
  flags: string;
  text: string;
}

/** Whether a pattern occurs in a text; done where a pattern that never ends can be stopped. */
export function run(input: unknown): boolean {
  const { pattern, flags, text } = input as PatternQuestion;
  return new RegExp(pattern, flags).test(text);
}
