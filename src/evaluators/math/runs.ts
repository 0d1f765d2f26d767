import { addRationals, divideRationals, multiplyRationals, type Rational } from "./arithmetic.js";

/** A piece of a text that is mathematics: a marked formula, a number, "x + 1", "(2, 3)". */
export interface MathRun {
  readonly start: number;
  readonly end: number;
  /** Without the formula delimiters. */
  readonly text: string;
  /** Part of it is marked as a formula. */
  readonly isMarked: boolean;
  /** An equals sign precedes it, after words. */
  readonly isNamed: boolean;
}

/** Finds the mathematics of a short text, each piece as long as possible. */
export function findMathRuns(text: string): MathRun[] {
  const tokens = tokenizeMath(text);
  const closings = findClosings(tokens);
  const runs: MathRun[] = [];
  for (let at = 0; at < tokens.length; ) {
    const end = findMathRunEnd(tokens, at, closings);
    const run = end > at ? trimRun(tokens.slice(at, end), tokens[at - 1]) : null;
    if (run !== null) runs.push(run);
    at = Math.max(end, at + 1);
  }
  return runs;
}

/** Maps opening to closing brackets where everything between is mathematics: words make it a remark. */
function findClosings(tokens: readonly MathToken[]): ReadonlyMap<number, number> {
  const closings = new Map<number, number>();
  let open: number[] = [];
  for (const [at, { kind }] of tokens.entries()) {
    if (kind === "word" || kind === "other") open = [];
    else if (kind === "open") open.push(at);
    else if (kind === "close") {
      const opening = open.pop();
      if (opening !== undefined) closings.set(opening, at);
    }
  }
  return closings;
}

const OPERANDS = new Set(["number", "letter", "function", "span", "close", "suffix", "unit", "word"]);
const DASH = /^[-–−]$/;

/** The index after the last token of the run. */
function findMathRunEnd(tokens: readonly MathToken[], from: number, closings: ReadonlyMap<number, number>): number {
  let end = from;
  let previous: MathToken | null = null;
  for (let at = from; at < tokens.length; at++) {
    const token = tokens[at];
    if (token?.kind === "space") continue;
    const closing = token?.kind === "open" ? closings.get(at) : undefined;
    if (
      token === undefined ||
      !(closing === undefined ? isRunContinued(tokens, at, previous) : isFactorBracket(token, previous))
    )
      break;
    at = closing ?? at;
    previous = tokens[at] ?? null;
    end = at + 1;
  }
  return trimDash(tokens, from, end);
}

/** "24 (12 + 12)" explains a number; "2(3 + 4)" is a product. */
function isFactorBracket({ start }: MathToken, previous: MathToken | null): boolean {
  return (
    previous === null || previous.end === start || !["number", "suffix", "unit", "span", "word"].includes(previous.kind)
  );
}

function isRunContinued(tokens: readonly MathToken[], at: number, previous: MathToken | null): boolean {
  const token = tokens[at];
  const isBehind = previous !== null && OPERANDS.has(previous.kind);
  if (token === undefined) return false;
  switch (token.kind) {
    case "operator":
    case "function":
      return true;
    case "suffix":
    case "unit":
      return isBehind;
    case "number":
    case "span":
      return !isBehind || isJoined(tokens, at, previous);
    case "letter":
      return isVariableLetter(tokens, at, previous);
    case "word":
      return isAttached(token, previous) && PRODUCT.test(token.text) && !UNIT.test(token.text);
    case "open":
    case "close":
    case "comma":
    case "space":
    case "other":
      return false;
  }
}

/** Letters that are multiplied, as in "4ab", and are not units or hours. */
const PRODUCT = /^[abcijkmnpqrtuvwxyz]{2,3}$/;
const UNIT = /^(?:[mgshlLCFWVJNKkMB]|[mcknp]m|mins?|[ap]m|rpm|ct|pt|qt|cc|kn|bn|mi|in|[km]b|[km]w|[km]v)$/;

function isAttached(token: MathToken, previous: MathToken | null): boolean {
  return previous?.kind === "number" && previous.end === token.start;
}

/** Whether a number or a formula continues the previous one: "1 3/4", "1 234", "\ln 4", "2 $\sqrt3$". */
function isJoined(tokens: readonly MathToken[], at: number, previous: MathToken): boolean {
  const token = tokens[at];
  if (token === undefined || previous.kind === "function" || previous.end === token.start) return token !== undefined;
  if (previous.kind !== "number") return false;
  if (token.kind === "span") return /^\s*\\(?:[dtc]?frac|sqrt|pi)/.test(token.text);
  const isGroup = /^\d{3}(?:[.,]\d+)?$/.test(token.text) && /^\D{0,3}[1-9]\d{0,2}$/.test(previous.text);
  const isMixed = getNextToken(tokens, at)?.text === "/" && /^\d{1,3}$/.test(token.text) && /^\d+$/.test(previous.text);
  return isGroup || isMixed;
}

/** Whether a single letter is used in a calculation. Otherwise it is a word, or a unit. */
function isVariableLetter(tokens: readonly MathToken[], at: number, previous: MathToken | null): boolean {
  const token = tokens[at];
  const next = getNextToken(tokens, at);
  if (token === undefined) return false;
  const before = tokens[at - 1] ?? null;
  if (isAttached(token, before)) return !UNIT.test(token.text) || (next?.kind === "operator" && next.text !== "/");
  if (next?.kind === "open" && next.start === token.end) return true;
  if (next?.kind === "operator") return !DASH.test(next.text) || /^[b-z]/.test(token.text);
  const isArticle = /^[aAI]$/.test(token.text) && next?.kind === "word";
  if (previous?.kind === "operator" || previous?.kind === "function") return !isArticle;
  if (previous?.kind === "close") return previous.end === token.start;
  const isLast = next === undefined || next.kind === "comma" || next.kind === "other";
  return previous?.kind === "number" && isLast && !UNIT.test(token.text) && !/^[aAI]$/.test(token.text);
}

function getNextToken(tokens: readonly MathToken[], at: number): MathToken | undefined {
  return tokens[at + 1]?.kind === "space" ? tokens[at + 2] : tokens[at + 1];
}

/** In "24 - two of them" and "20 - 8 of these are red" a dash begins a remark; in "20 - 8 = 12 eggs" it subtracts. */
function trimDash(tokens: readonly MathToken[], from: number, end: number): number {
  const behind = getNextToken(tokens, end - 1)?.kind;
  if (behind !== "word" && behind !== "letter") return end;
  for (let at = end - 1; at > from; at--) {
    const { kind, text } = tokens[at] ?? { kind: "close", text: "" };
    if (kind === "close" || text === "=" || text === "≈") return end;
    if (DASH.test(text) && tokens[at - 1]?.kind === "space" && tokens[at + 1]?.kind === "space") return at;
  }
  return end;
}

/** Signs that a formula may begin with. */
const FIRST = /^(?:[-–−+±∓<>≤≥≠]|\\(?:pm|mp|leq?|geq?|neq?|lt|gt))$/;

/** Removes operators without operands: "= 24", "* 8"; null if nothing is left. */
function trimRun(tokens: readonly MathToken[], before: MathToken | undefined): MathRun | null {
  const isDangling = ({ kind }: MathToken): boolean => kind === "operator" || kind === "space";
  const last = tokens.findLastIndex((token) => !isDangling(token));
  const first = tokens.findIndex((token, at) => !isDangling(token) || isLeadingSign(tokens, at, before));
  const parts = tokens.slice(first, last + 1);
  const [start, end] = [parts[0]?.start, parts.at(-1)?.end];
  if (last === -1 || start === undefined || end === undefined) return null;
  return {
    start,
    end,
    text: parts.map(({ text }) => text).join(""),
    isMarked: parts.some(({ kind }) => kind === "span"),
    isNamed: tokens.slice(0, first).some(({ text }) => text === "="),
  };
}

/** A dash before a space is a list mark, and one after a word is a hyphen. */
function isLeadingSign(tokens: readonly MathToken[], at: number, before: MathToken | undefined): boolean {
  const token = tokens[at];
  if (token === undefined || !FIRST.test(token.text)) return false;
  const isBare = DASH.test(token.text) || token.text === "+";
  const previous = at === 0 ? before : tokens[at - 1];
  const isHyphen = (previous?.kind === "word" || previous?.kind === "letter") && previous.end === token.start;
  const isBehindEquals = tokens.slice(0, at).some(({ text }) => text === "=" || text === "≈");
  return !isBare || isBehindEquals || (tokens[at + 1]?.kind !== "space" && !isHyphen);
}

/** The role of a token in mathematics. `other` is anything that no formula contains. */
type MathTokenKind =
  | "space"
  | "number"
  | "letter"
  | "function"
  | "span"
  | "operator"
  | "suffix"
  | "unit"
  | "open"
  | "close"
  | "comma"
  | "word"
  | "other";

interface MathToken {
  readonly kind: MathTokenKind;
  /** As written; for a marked formula without its delimiters, empty for a unit. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const FUNCTIONS =
  "arc(?:sin|cos|tan)|(?:sin|cos|tan|sec|csc|cot)h?|log|ln|exp|sqrt|root|pi|infinity|infty|inf|max|min|gcd|lcm|mod";
const LATIN = "\\p{Script=Latin}\\p{N}_";
const WORDED = "\\\\(?:text|textbf|textit|textrm|mathrm|mbox)\\s?\\{[^{}\\n]{0,60}\\}(?:\\s?\\^\\s?\\{?\\d\\}?)?";
/** Short units after a number; a letter without a space before it may be a variable. */
const UNITS = "mm|cm|dm|km|ft|in(?!\\s\\d)|yd|mi|kg|mg|ml|min|hr|[mgshlLNJWV]";
const POWER = "(?:\\s?\\^\\s?\\{?[23]\\}?|[²³])?";
const ROOT = "(?:square|cube|\\d+(?:st|nd|rd|th)) root of";
const KINDS: readonly (readonly [MathTokenKind, string])[] = [
  ["unit", `(?<=\\d)\\s(?:${UNITS})${POWER}(?:\\s?/\\s?(?:${UNITS}|day|hour)${POWER})?(?![${LATIN}(^])`],
  [
    "function",
    `(?:the )?(?:${ROOT}|half of|twice|(?:square|cube|factorial|reciprocal) of|log base)(?=\\s+\\\\?[($\\d])`,
  ],
  ["suffix", "(?<=\\d) (?:squared|cubed|factorial)(?=\\s*(?:$|[.,;=+*)/<}。-]|(?:is|equals|because|since)\\b))"],
  ["suffix", "(?<=\\d) and (?:a|one)[ -](?:half|third|quarter|fourth|fifth|eighth|tenth)\\b"],
  ["operator", "(?<=\\d )(?:choose|(?:raised )?to the power of)(?= \\d)"],
  ["space", "[ \\t]+|\\\\[,;:! ]|\\\\q?quad(?![a-zA-Z])"],
  ["operator", `(?<=[${LATIN})])\\*\\*(?=[${LATIN}(])`],
  ["other", "</?[a-zA-Z][^<>\\n]{0,40}>|[=-]{1,3}>|-{2,}|\\*{2,}|\\.{2,}"],
  [
    "number",
    `(?:\\\\?[$€£¥₹]\\s?)?(?:\\d(?:(?:[\\d,.]|'(?=\\d{3}))*\\d)?(?:[eE][-+]?\\d{1,3}(?![${LATIN}]))?(?::\\d+| : \\d+)*|(?<![\\d.])\\.\\d+)`,
  ],
  ["operator", "\\\\(?:times|cdot|div|pm|mp|leq?|geq?|neq?|lt|gt|approx|in|cup|cap|ast|over)(?![a-zA-Z])"],
  [
    "open",
    "\\\\(?:\\{|(?:left|lbrace|langle|lfloor|lceil)(?![a-zA-Z]))\\s?\\\\?[(\\[{|]?|[(\\[{]|<(?=[-\\d.\\s]{1,20},[-\\d.,\\s]{1,40}>)",
  ],
  [
    "close",
    "\\\\(?:\\}|(?:right|rbrace|rangle|rfloor|rceil)(?![a-zA-Z]))\\s?\\\\?[)\\]}|]?|[)\\]}]|(?<=<[-\\d.,\\s]{3,60})>",
  ],
  [
    "suffix",
    `\\s?\\\\?%|\\s?\\^?\\s?\\{?\\\\(?:circ|degree)(?![a-zA-Z])\\}?|\\s?°|[⁻⁺]?[⁰¹²³⁴-⁹]+|!(?!\\s*$|["*)']|\\s+[^a-z=+*/×÷·\\s-])|\\s?${WORDED}`,
  ],
  ["function", `\\\\[a-zA-Z]+|(?:${FUNCTIONS})(?![${LATIN}])|[√π∞]`],
  ["function", "\\|(?:[a-zA-Z]{1,2}|-\\d+|[^|\\s\\d][^|\\n]{0,30}[-+*/^][^|\\n]{0,30})\\|"],
  ["function", "(?:xy|yz|xz|ab|bc|ac|mn|pq)(?=\\s?=[^=])"],
  ["operator", "(?<=[\\d)%]\\s?)[xX](?=\\s?\\\\?\\$?[\\d(])"],
  ["word", "[aApP]\\.\\s?[mM]\\b"],
  ["letter", `[a-zA-Z](?:_\\{?\\w{1,3}\\}?|\\d{1,2}|'{1,2})?(?![${LATIN}'’])`],
  [
    "operator",
    `(?:times|plus|minus|(?:multiplied|divided) by)(?=\\s+(?:\\\\?\\$?\\d|[a-zA-Z](?![${LATIN}])|(?:the )?${ROOT}))`,
  ],
  ["operator", "[+*/×÷·⋅^=<>≤≥≠≈≡±∓∈∪∩–−-]|_(?=[\\d{])"],
  ["comma", "[,;]"],
  // A function name in a program, with its arguments: "func_12(-10)", "list[10]".
  [
    "word",
    `[\\p{Script=Latin}_][${LATIN}]*(?:\\([^()\\n]{0,200}\\)|\\[[^[\\]\\n]{0,200}\\])?|(?:(?!\\p{Script=Latin})\\p{L})+`,
  ],
];
/** Mathematics in words, and its LaTeX. Other words have no value. */
const WORDED_SIGNS: Readonly<Record<string, string>> = {
  times: "*",
  "multiplied by": "*",
  plus: "+",
  minus: "-",
  "divided by": "/",
  choose: "\\choose ",
  "to the power of": "^",
  "raised to the power of": "^",
  squared: "^2",
  cubed: "^3",
  factorial: "!",
  "half of": "1/2*",
  twice: "2*",
  "reciprocal of": "1/",
  "square root of": "\\sqrt",
  "cube root of": "\\sqrt[3]",
};
const TOKEN = new RegExp(KINDS.map(([, pattern], at) => `(?<k${at}>${pattern})`).join("|"), "uy");

const PARTS = ["half", "third", "quarter", "fourth", "fifth", "eighth", "tenth"];
const SIZES = [2, 3, 4, 4, 5, 8, 10];

function toLatexSign(written: string): string {
  const words = written.trim().replace(/^the /, "");
  const part = words.startsWith("and ") ? PARTS.findIndex((name) => words.endsWith(name)) : -1;
  if (part !== -1) return `+1/${SIZES[part] ?? 1}`;
  return WORDED_SIGNS[words] ?? (words.endsWith("root of") ? `\\sqrt[${Number.parseInt(words, 10)}]` : written);
}

function tokenizeMath(text: string): MathToken[] {
  const tokens: MathToken[] = [];
  const spans = findFormulaSpans(text);
  for (let at = 0; at < text.length; ) {
    while ((spans[0]?.start ?? text.length) < at) spans.shift();
    const [span] = spans;
    const token = span?.start === at ? { ...span, kind: "span" as const, text: span.content } : readMathToken(text, at);
    tokens.push(token);
    at = token.end;
  }
  return tokens;
}

function readMathToken(text: string, start: number): MathToken {
  TOKEN.lastIndex = start;
  const match = TOKEN.exec(text);
  const written = match?.[0] ?? String.fromCodePoint(text.codePointAt(start) ?? 0);
  const kind = KINDS.find((_, at) => match?.groups?.[`k${at}`] !== undefined)?.[0] ?? "other";
  const sign = kind === "word" ? written : toLatexSign(written);
  return { kind, text: kind === "unit" ? "" : sign, start, end: start + written.length };
}

interface PairContext {
  readonly before: string;
  readonly between: string;
  readonly behind: string;
}

/** A measure, its smaller unit, and how many of those it has. */
const MEASURES: readonly (readonly [larger: string, smaller: string, parts: bigint])[] = [
  ["hours?|hrs?|h", "minutes?|mins?|m", 60n],
  ["minutes?|mins?", "seconds?|secs?|s", 60n],
  ["days?", "hours?|hrs?", 24n],
  ["weeks?", "days?", 7n],
  ["years?", "months?", 12n],
  ["feet|foot|ft|'", 'inch(?:es)?|in|"', 12n],
  ["pounds?|lbs?", "ounces?|oz", 16n],
  ["dollars?", "cents?", 100n],
  ["met(?:er|re)s?|m", "centimet(?:er|re)s?|cm", 100n],
  ["kilomet(?:er|re)s?|km", "met(?:er|re)s?|m", 1000n],
  ["kilograms?|kg", "grams?|g", 1000n],
];
const COMPOUNDS = MEASURES.map(([larger, smaller, parts]) => ({
  between: new RegExp(`^\\s?(?:${larger})(?:,|,?\\s+and)?\\s*$`, "i"),
  // "2 days, 24 hours each" multiplies.
  behind: new RegExp(`^\\s?(?:${smaller})(?![\\p{L}\\d])(?!\\s(?:each|per|an?|every|later|longer|more|less)\\b)`, "iu"),
  parts: { top: parts, bottom: 1n },
}));
const RATIO = /\b(?:ratio|odds)\b[^.;\n]{0,80}$/i;
const ENDS = /^[\s*_$"')}]*(?:[.,;!?<。]|$|\n|(?:because|since|as)\b)/;

/**
 * The values of two numbers together: "2 hours and 30 minutes" are 150 or 2.5, "3 out of 4" is a share, "3 out of 4 eggs" also
 * 3, and "the ratio is 1 to 3" is not a number, so it has no values. Null if they are separate.
 */
export function readNumberPair(
  one: Rational,
  other: Rational,
  { before, between, behind }: PairContext,
): readonly Rational[] | null {
  for (const compound of COMPOUNDS) {
    if (!compound.between.test(between) || !compound.behind.test(behind)) continue;
    const [parts, part] = [multiplyRationals(one, compound.parts), divideRationals(other, compound.parts)];
    const values = [parts === null ? null : addRationals(parts, other), part === null ? null : addRationals(one, part)];
    return values.filter((value) => value !== null);
  }
  const share = divideRationals(one, other);
  if (/^\s+out of\s+$/i.test(between) && share !== null) return ENDS.test(behind) ? [share] : [one, share];
  if (/^\s+in\s+$/i.test(between) && ENDS.test(behind) && share !== null) return [share];
  if (/^\s+to\s+$/i.test(between) && RATIO.test(before)) return [];
  return null;
}

/** A formula between delimiters, `$…$` or `\(…\)`, or in an environment such as `\begin{pmatrix}`. */
export interface FormulaSpan {
  readonly content: string;
  readonly start: number;
  readonly end: number;
}

// A dollar sign after a number is money and opens nothing. One before a digit closes nothing, nor does one after a
// space unless a space follows the opening one.
const SPAN = new RegExp(
  [
    "\\$\\$(?<display>[^$]{1,1500})\\$\\$",
    "(?<!\\d\\s?)\\$(?=\\S)(?<inline>[^$\\n]{0,799}[^$\\s\\\\])\\$(?!\\d)",
    "(?<!\\d\\s?)\\$\\s(?<spaced>[^$\\n]{1,798})\\s\\$(?!\\d)",
    "\\\\\\((?<round>[\\s\\S]{1,800}?)\\\\\\)",
    "\\\\\\[(?<square>[\\s\\S]{1,1500}?)\\\\\\]",
    "(?<environment>\\\\begin\\{(?<name>[a-zA-Z]{3,12}\\*?)\\}[\\s\\S]{1,1500}?\\\\end\\{\\k<name>\\})",
  ].join("|"),
  "g",
);

/** Finds the delimited formulas of a text, in order. */
export function findFormulaSpans(text: string): FormulaSpan[] {
  if (!/[$\\]/.test(text)) return [];
  const spans: FormulaSpan[] = [];
  const pattern = new RegExp(SPAN);
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const { display, inline, spaced, round, square, environment } = match.groups ?? {};
    const content = display ?? inline ?? spaced ?? round ?? square ?? environment ?? "";
    const isMoney = (inline ?? spaced) !== undefined && isProseSpan(content);
    if (isMoney) pattern.lastIndex = match.index + 1;
    else spans.push({ content, start: match.index, end: match.index + match[0].length });
  }
  return spans;
}

const NO_PROSE = /\\(?:text|textbf|textrm|textit|mathrm|mbox|operatorname)\s?\{[^{}]*\}|\\[a-zA-Z]+/g;

/** Words between two dollar signs, "$5 for each of the 3 and $", show that they are money. */
function isProseSpan(content: string): boolean {
  return (content.replace(NO_PROSE, " ").match(/\p{L}{3,}/gu) ?? []).length >= 2;
}
