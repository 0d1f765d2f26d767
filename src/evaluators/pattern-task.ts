export interface PatternTaskInput {
  pattern: string;
  flags: string;
  text: string;
}

/** Runs in a worker thread, so that a catastrophic pattern can be stopped. */
export function run(input: unknown): boolean {
  const { pattern, flags, text } = input as PatternTaskInput;
  return new RegExp(pattern, flags).test(text);
}
