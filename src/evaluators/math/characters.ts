/** The first digit of every script that models answer in besides Latin, ten in a row from there. */
const ZEROS = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0e50, 0xff10];
const DIGIT =
  /[\u0660-\u0669\u06f0-\u06f9\u0966-\u096f\u09e6-\u09ef\u0a66-\u0a6f\u0ae6-\u0aef\u0be6-\u0bef\u0c66-\u0c6f\u0ce6-\u0cef\u0d66-\u0d6f\u0e50-\u0e59\uff10-\uff19]/g;

const PLAIN: Record<string, string> = {
  "\u2212": "-",
  "\u2010": "-",
  "\u2011": "-",
  "\ufe63": "-",
  "\uff0d": "-",
  "\u00a0": " ",
  "\u2007": " ",
  "\u2009": " ",
  "\u202f": " ",
  "\u3000": " ",
  "\u200b": "",
  "\u2060": "",
  "\ufeff": "",
  "\uff0c": ",",
  "\uff0e": ".",
  "\uff1a": ":",
  "\uff1d": "=",
  "\uff05": "%",
  "\uff04": "$",
  "\uffe5": "¥",
  "\uff08": "(",
  "\uff09": ")",
  "\uff0b": "+",
  "\uff0f": "/",
  "\uff0a": "*",
  "\u066b": ".",
  "\u066c": ",",
  "\u2044": "/",
  "\u2019": "'",
  "½": " 1/2",
  "⅓": " 1/3",
  "⅔": " 2/3",
  "¼": " 1/4",
  "¾": " 3/4",
  "⅕": " 1/5",
  "⅖": " 2/5",
  "⅗": " 3/5",
  "⅘": " 4/5",
  "⅙": " 1/6",
  "⅚": " 5/6",
  "⅛": " 1/8",
  "⅜": " 3/8",
  "⅝": " 5/8",
  "⅞": " 7/8",
};
const PLAIN_KEYS = new RegExp(`[${Object.keys(PLAIN).join("")}]`, "g");
const BEYOND_ASCII = /[\u0080-\uffff]/;

/**
 * Digits of every script as 0–9, the many minus signs, spaces and full-width marks as their plain ones, and numbers
 * without LaTeX's separators of thousands: `1{,}234`, `1,\\!234`, `1\\,234`.
 */
export function plainText(text: string): string {
  const plain = plainCharacters(text);
  return plain.includes("\\") || plain.includes("{") ? plain.replace(LATEX_THOUSANDS, "") : plain;
}

const RESIDUE = /^\s*(-?\d+)\s*(?:\\(?:pmod|bmod|mod)\b|\(mod\b|mod\b)\D*(\d*).*$/;

/** The number of "3 \\pmod{5}"; any other text as it is, "12 \\bmod 5" among them. A congruence has many solutions. */
export function residue(text: string): string {
  const [, number, modulus] = text.includes("mod") ? (RESIDUE.exec(text) ?? []) : [];
  return number === undefined || (modulus !== "" && Number(number) >= Number(modulus)) ? text : number;
}

const LATEX_THOUSANDS = /(?<=\d) ?(?:\{ ?, ?\}|,\\!|\\!,|\\,|\\;) ?(?=\d{3}(?!\d))/g;

function plainCharacters(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text;
  return text.replace(DIGIT, asciiDigit).replace(PLAIN_KEYS, (character) => PLAIN[character] ?? character);
}

function asciiDigit(character: string): string {
  const code = character.charCodeAt(0);
  const zero = ZEROS.find((first) => code >= first && code < first + 10) ?? code;
  return String(code - zero);
}

const SYMBOLS: Record<string, string> = {
  π: "\\pi ",
  "∞": "\\infty ",
  "×": "*",
  "·": "*",
  "⋅": "*",
  "∙": "*",
  "÷": "/",
  "±": "\\pm ",
  "∓": "\\mp ",
  "≤": "\\le ",
  "≥": "\\ge ",
  "≠": "\\ne ",
  "≈": "\\approx ",
  "∪": "\\cup ",
  "∩": "\\cap ",
  "∈": "\\in ",
  "∅": "\\emptyset ",
  "√": "\\sqrt ",
  "–": "-",
  "—": "-",
  θ: "\\theta ",
  α: "\\alpha ",
  β: "\\beta ",
  λ: "\\lambda ",
  "“": "",
  "”": "",
  "«": "",
  "»": "",
  "「": "",
  "」": "",
  "。": ".",
  "、": ",",
};
const SYMBOL_KEYS = new RegExp(`[${Object.keys(SYMBOLS).join("")}]`, "g");

/** Digits of an exponent, with its sign. */
const RAISED = /([⁻⁺]?)([⁰¹²³⁴-⁹]+)/g;

function raisedDigits(_: string, sign: string, digits: string): string {
  const exponent = [...digits].map((digit) => "⁰¹²³⁴⁵⁶⁷⁸⁹".indexOf(digit)).join("");
  return `^{${sign === "⁻" ? "-" : ""}${exponent}}`;
}

/** The signs of mathematics as LaTeX, for an answer in plain text that writes √2 or 3π. */
export function latexCharacters(text: string): string {
  if (!BEYOND_ASCII.test(text)) return text;
  return text.replace(RAISED, raisedDigits).replace(SYMBOL_KEYS, (character) => SYMBOLS[character] ?? character);
}
