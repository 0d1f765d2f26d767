const BOX = /\\(?:boxed|fbox)(?![a-zA-Z])\s*/g;

/**
 * What is in the last `\boxed{…}` or `\fbox{…}` of a solution, or follows `\boxed ` without braces; null without a box
 * that is closed and says something.
 * @example
 * lastBoxed("So $x = \\boxed{\\frac{1}{2}}$."); // "\\frac{1}{2}"
 */
export function lastBoxed(solution: string): string | null {
  for (const { index, 0: opening } of [...solution.matchAll(BOX)].reverse()) {
    const boxed = contentAt(solution, index + opening.length)?.trim();
    if (boxed) return boxed;
  }
  return null;
}

function contentAt(solution: string, start: number): string | null {
  if (solution[start] !== "{") return /^[^${}\n]*/.exec(solution.slice(start))?.[0] ?? null;
  const end = closingBrace(solution, start);
  return end === null ? null : solution.slice(start + 1, end);
}

/** Where the brace that opens at `start` is closed. `\{` and `\}` are signs of a set, not braces. */
function closingBrace(solution: string, start: number): number | null {
  let depth = 0;
  for (let at = start; at < solution.length; at++) {
    if (solution[at] === "\\") at += 1;
    else if (solution[at] === "{") depth += 1;
    else if (solution[at] === "}") depth -= 1;
    if (depth === 0) return at;
  }
  return null;
}
