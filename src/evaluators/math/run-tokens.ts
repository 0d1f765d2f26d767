import { spansIn } from "./spans.js";

/** What a piece of a text is to mathematics. `other` is all that no formula has. */
type TokenKind =
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

export interface RunToken {
  readonly kind: TokenKind;
  /** As it stands; of a marked formula what is between its marks, and nothing of a unit. */
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const FUNCTIONS =
  "arc(?:sin|cos|tan)|(?:sin|cos|tan|sec|csc|cot)h?|log|ln|exp|sqrt|root|pi|infinity|infty|inf|max|min|gcd|lcm|mod";
const LATIN = "\\p{Script=Latin}\\p{N}_";
const WORDED = "\\\\(?:text|textbf|textit|textrm|mathrm|mbox)\\s?\\{[^{}\\n]{0,60}\\}(?:\\s?\\^\\s?\\{?\\d\\}?)?";
/** Short units behind a number; the letter alone may be a variable where no space stands before it. */
const UNITS = "mm|cm|dm|km|ft|in(?!\\s\\d)|yd|mi|kg|mg|ml|min|hr|[mgshlLNJWV]";
const POWER = "(?:\\s?\\^\\s?\\{?[23]\\}?|[²³])?";
const ROOT = "(?:square|cube|\\d+(?:st|nd|rd|th)) root of";
const KINDS: readonly (readonly [TokenKind, string])[] = [
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
  // The name of a function in a program, with what it is called with: "func_12(-10)", "list[10]".
  [
    "word",
    `[\\p{Script=Latin}_][${LATIN}]*(?:\\([^()\\n]{0,200}\\)|\\[[^[\\]\\n]{0,200}\\])?|(?:(?!\\p{Script=Latin})\\p{L})+`,
  ],
];
/** Mathematics in words, as it is written in LaTeX. Other words of it have no value. */
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

function signOf(written: string): string {
  const words = written.trim().replace(/^the /, "");
  const part = words.startsWith("and ") ? PARTS.findIndex((name) => words.endsWith(name)) : -1;
  if (part !== -1) return `+1/${SIZES[part] ?? 1}`;
  return WORDED_SIGNS[words] ?? (words.endsWith("root of") ? `\\sqrt[${Number.parseInt(words, 10)}]` : written);
}

/** The pieces of a text, in order. */
export function tokensOf(text: string): RunToken[] {
  const tokens: RunToken[] = [];
  const spans = spansIn(text);
  for (let at = 0; at < text.length; ) {
    while ((spans[0]?.start ?? text.length) < at) spans.shift();
    const [span] = spans;
    const token = span?.start === at ? { ...span, kind: "span" as const, text: span.content } : tokenAt(text, at);
    tokens.push(token);
    at = token.end;
  }
  return tokens;
}

function tokenAt(text: string, start: number): RunToken {
  TOKEN.lastIndex = start;
  const match = TOKEN.exec(text);
  const written = match?.[0] ?? String.fromCodePoint(text.codePointAt(start) ?? 0);
  const kind = KINDS.find((_, at) => match?.groups?.[`k${at}`] !== undefined)?.[0] ?? "other";
  const sign = kind === "word" ? written : signOf(written);
  return { kind, text: kind === "unit" ? "" : sign, start, end: start + written.length };
}
