/** As many steps as take a few milliseconds. */
const FEW_STEPS = 5e6;
const QUANTIFIER = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/;
/** A number of times leaves nothing to try, but has to be gone through. */
const TIMES = /^\{(\d+)\}/;
const REFERENCE = /\\[1-9k]/;

/**
 * Whether a pattern is sure to be done with a text in a few milliseconds, so that no thread is needed to watch it. Sure
 * are patterns without repeated groups and back-references whose choices are few for the length of the text: in the
 * worst case every repetition is tried with every length, at every place, in every combination with all others.
 */
export function isQuick(pattern: string, length: number): boolean {
  const choices = choicesIn(pattern);
  if (choices === null) return false;
  const { repetitions, alternatives, times } = choices;
  return (length + 2) ** (repetitions + 1) * 2 ** alternatives * (pattern.length + times) <= FEW_STEPS;
}

interface Choices {
  repetitions: number;
  /** In groups: those of the whole pattern are tried one after the other. */
  alternatives: number;
  times: number;
}

/** What a pattern leaves to be tried; null when a group is repeated or referred to. */
function choicesIn(pattern: string): Choices | null {
  if (REFERENCE.test(pattern)) return null;
  let repetitions = 0;
  let alternatives = 0;
  let times = 0;
  let depth = 0;
  for (let i = 0; i < pattern.length; i++) {
    const char = pattern[i];
    if (char === "\\") i += 1;
    else if (char === "[") i = classEnd(pattern, i);
    else if (char === "(") {
      depth += 1;
      // The mark of a special group is no repetition.
      if (pattern[i + 1] === "?") i += 1;
    } else if (char === ")") depth -= 1;
    else if (char === "|") alternatives += depth > 0 ? 1 : 0;
    else {
      const quantifier = QUANTIFIER.exec(pattern.slice(i, i + 20));
      if (quantifier === null) continue;
      if (pattern[i - 1] === ")") return null;
      const count = TIMES.exec(quantifier[0])?.[1];
      if (count === undefined) repetitions += 1;
      else times += Number(count);
      i += quantifier[0].length - 1;
    }
  }
  return { repetitions, alternatives, times };
}

/** Where the character class that begins at `start` ends. */
function classEnd(pattern: string, start: number): number {
  for (let i = start + 1; i < pattern.length; i++) {
    if (pattern[i] === "\\") i += 1;
    else if (pattern[i] === "]") return i;
  }
  return pattern.length;
}
