/** How programs and their libraries say that they do not know a flag. */
const REFUSAL =
  /\b(?:unknown|unexpected|unrecognized|unrecognised|invalid) (?:command[- ]line )?(?:option|argument|flag|switch)s?\b|\bno such option\b/i;

/** Longer lines are not messages. */
const MAX_LINE_CHARS = 300;

/**
 * Finds the line in which a program says that it does not know a flag; null when there is none. It often stands before or
 * after a long usage text.
 * @example
 * findRefusedFlag("error: unknown option '--auto'\nUsage: …"); // "error: unknown option '--auto'"
 */
export function findRefusedFlag(printed: string): string | null {
  const line = printed.split("\n").find((text) => text.length <= MAX_LINE_CHARS && REFUSAL.test(text));
  return line?.trim() ?? null;
}
