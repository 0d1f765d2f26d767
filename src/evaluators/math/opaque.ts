const DECORATED =
  /\\(overline|bar|vec|hat|widehat|tilde|widetilde|dot|ddot|overrightarrow) ?(?:\{([^{}]{1,40})\}|([a-zA-Z\d]))/;
/** f and g are functions, whatever they are taken of; other letters only where a product would not be written so. */
const APPLIED = /([fg](?:_\d|')?)\(([^()]{1,40})\)|([hpqFGHPQ](?:_\d|')?)\(([a-zA-Z]|-?\d{1,9})\)/;
const PARTS = new RegExp(
  `(?<repeating>\\.\\d*\\\\overline\\{\\d+\\})|${DECORATED.source}|\\\\[a-zA-Z]+|${APPLIED.source}`,
  "g",
);
const LETTERS = "wvutsrqponmlkjhgfcbazyxWVUTSRQPONMLKJHGFCBAZYX";
const SAME_MARK: Record<string, string> = {
  bar: "overline",
  widehat: "hat",
  widetilde: "tilde",
  overrightarrow: "vec",
};

/**
 * Two formulas in which everything that no rule of algebra looks into is one letter of its own, the same in both: the
 * conjugate of z is not z, and f(2) is not 2f.
 */
export function withLetters(gold: string, given: string): [string, string] {
  const free = [...LETTERS].filter((letter) => !gold.includes(letter) && !given.includes(letter));
  const names = new Map<string, string>();
  const letterFor = (thing: string): string => {
    const letter = names.get(thing) ?? free[names.size] ?? `w_{${names.size}}`;
    names.set(thing, letter);
    return letter;
  };
  return [replaced(gold, letterFor), replaced(given, letterFor)];
}

function replaced(text: string, letterFor: (thing: string) => string): string {
  return text.replace(PARTS, (...match: (string | undefined)[]) => {
    const [whole = "", repeating, mark, inner, single, name, argument, otherName, atom] = match;
    if (repeating !== undefined) return whole;
    if (mark !== undefined) return `(${letterFor(`${SAME_MARK[mark] ?? mark} ${inner ?? single ?? ""}`)})`;
    if (name === undefined && otherName === undefined) return whole;
    return `(${letterFor(`${name ?? otherName ?? ""}(${argument ?? atom ?? ""})`)})`;
  });
}
