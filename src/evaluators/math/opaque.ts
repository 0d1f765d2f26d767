const DECORATED =
  /\\(overline|bar|vec|hat|widehat|tilde|widetilde|dot|ddot|overrightarrow) ?(?:\{([^{}]{1,40})\}|([a-zA-Z\d]))/;
/** f, g, zeta and Gamma are functions, whatever they are taken of; other letters only where a product would not be written so. */
const APPLIED = /((?:[fg]|\\(?:zeta|Gamma))(?:_\d|')?)\(([^()]{1,40})\)|([hpqFGHPQ](?:_\d|')?)\(([a-zA-Z]|-?\d{1,9})\)/;
/** Names with an index, and letters that the engine takes for a function, a constant or a transposed matrix. */
const NAMED = /((?:[a-zA-Z]|\\[a-zA-Z]+ ?)_(?:\{[^{}]{1,20}\}|\w)|[DEGINTi])/;
/** dy/dx is no fraction that d could be taken out of. */
const DERIVATIVE =
  /(\\frac ?\{(?:d|\\partial ?)(?:\^\{?\d\}?)?[a-zA-Z]?\}\{(?:d|\\partial ?)[a-zA-Z](?:\^\{?\d\}?)?\}|(?<![a-zA-Z\\])d[a-z]\/d[a-z](?![a-zA-Z]))/;
/** What is left as it is: repeating decimals and commands, some with an index. */
const KEPT = /\.\d*\\overline\{\d+\}|\\(?:log|sum|prod|lim|int)_(?:\{[^{}]*\}|\w)|\\[a-zA-Z]+(?![a-zA-Z]| ?_)/;
const PARTS = new RegExp([DECORATED, APPLIED, DERIVATIVE, KEPT, NAMED].map(({ source }) => source).join("|"), "g");
/** Stands for i, which the engine must not know: it loses imaginary parts. */
export const IMAGINARY_UNIT = "I";
const LETTERS = "wvutsrqponmlkjhgfcbazyxWVUSRQPOMLKJHFCBAZYX";
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
  const names = new Map([["i", IMAGINARY_UNIT]]);
  const letterFor = (thing: string): string => {
    const letter = names.get(thing) ?? free.shift() ?? thing;
    names.set(thing, letter);
    return letter;
  };
  return [replaced(gold, letterFor), replaced(given, letterFor)];
}

function replaced(text: string, letterFor: (thing: string) => string): string {
  return text.replace(PARTS, (...match: (string | undefined)[]) => {
    const [whole = "", mark, inner, single, name, argument, otherName, atom, derivative, index] = match;
    const named = derivative ?? index;
    if (mark !== undefined) return `(${letterFor(`${SAME_MARK[mark] ?? mark} ${inner ?? single ?? ""}`)})`;
    // Braces, since a power takes no more than the one sign that follows it.
    if (named !== undefined) return `{${letterFor(named)}}`;
    if (name === undefined && otherName === undefined) return whole;
    return `(${letterFor(`${name ?? otherName ?? ""}(${argument ?? atom ?? ""})`)})`;
  });
}

const CHOOSE = /\{?(\w+)\\choose ?(\w+)\}?/g;
const BINOMIAL = /\\[dt]?binom ?\{([^{}]*)\} ?\{([^{}]*)\}/g;

/** A formula in the commands that the engine knows. */
export function withKnownCommands(text: string): string {
  return text
    .replace(/\\(gcd|lcm)(?![a-zA-Z])/g, "\\operatorname{$1}")
    .replace(CHOOSE, "\\binom{$1}{$2}")
    .replace(BINOMIAL, (_, n: string, k: string) => binomial(n, k));
}

/** By factorials; of few, as a product, which has a value for every number. */
function binomial(n: string, k: string): string {
  if (!/^\d$/.test(k)) return `\\frac{(${n})!}{(${k})!((${n})-(${k}))!}`;
  const factors = Array.from({ length: Number(k) }, (_, taken) => `((${n})-${taken})`);
  return `\\frac{${factors.join("") || "1"}}{${k}!}`;
}
