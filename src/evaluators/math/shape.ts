/** What an answer in canonical form is made of. */
export type Shape =
  | { readonly kind: "single" }
  | { readonly kind: "matrix"; readonly brackets: string; readonly rows: readonly (readonly string[])[] }
  | { readonly kind: "union" | "set" | "list"; readonly parts: readonly string[] }
  | { readonly kind: "tuple"; readonly brackets: string; readonly parts: readonly string[] };

/** Lists longer than this are compared as texts: matching each element with each would take too long. */
const MAX_PARTS = 200;

export function shapeOf(text: string): Shape {
  const matrix = matrixOf(text);
  if (matrix !== null) return matrix;
  const union = split(text, "\\cup");
  if (union.length > 1) return { kind: "union", parts: union };
  if (isSet(text)) {
    const parts = split(text.slice(2, -2), ",");
    return parts.length === 1 && isElement(parts[0] ?? "") ? { kind: "single" } : { kind: "set", parts };
  }
  const parts = split(text, ",");
  if (parts.length > 1 && parts.length <= MAX_PARTS) return { kind: "list", parts: parts.flatMap(bothSigns) };
  return tupleOf(text) ?? signed(text);
}

function isSet(text: string): boolean {
  return text.startsWith("\\{") && closes(text, 2, text.length - 2);
}

/** The one solution of a set; a condition, `x \mid x > 3`, describes many. */
function isElement(text: string): boolean {
  return text !== "" && !/[:|]|\\mid|\\in/.test(text);
}

function tupleOf(text: string): Shape | null {
  if (!/^[([].*[)\]]$/s.test(text) || !closes(text, 1, text.length - 1)) return null;
  const parts = split(text.slice(1, -1), ",");
  if (parts.length < 2 || parts.length > MAX_PARTS) return null;
  return { kind: "tuple", brackets: `${text[0]}${text.at(-1)}`, parts };
}

/** `a \pm b` is the two numbers it stands for. */
function signed(text: string): Shape {
  const parts = bothSigns(text);
  return parts.length > 1 ? { kind: "list", parts } : { kind: "single" };
}

function bothSigns(text: string): string[] {
  if (text.split("\\pm").length !== 2 || text.includes("\\mp")) return [text];
  return [text.replace(/\\pm ?/, "+").replace(/^\+/, ""), text.replace(/\\pm ?/, "-")];
}

const MATRIX =
  /^\(?\[?\\begin\{(?<kind>[pbvBV]?matrix|smallmatrix|array)\}(?:\{[lcr|]*\})?(?<body>[\s\S]*)\\end\{\k<kind>\}\]?\)?$/;

function matrixOf(text: string): Shape | null {
  if (!text.includes("\\begin")) return null;
  const { kind = "", body = "" } = MATRIX.exec(text)?.groups ?? {};
  if (kind === "" || body.includes("\\begin")) return null;
  const rows = body.split("\\\\").filter((row) => row !== "");
  return { kind: "matrix", brackets: /^[vV]/.test(kind) ? kind : "", rows: rows.map((row) => row.split("&")) };
}

const OPENING = new Set(["(", "[", "{"]);
const CLOSING = new Set([")", "]", "}"]);

/** The parts of a text between the separators that stand outside of all brackets. */
export function split(text: string, separator: string): string[] {
  if (!text.includes(separator)) return [text];
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? "";
    if (OPENING.has(character)) depth += 1;
    else if (CLOSING.has(character)) depth -= 1;
    else if (depth === 0 && text.startsWith(separator, at)) {
      parts.push(text.slice(start, at));
      start = at + separator.length;
      at = start - 1;
    }
  }
  return [...parts, text.slice(start)].map((part) => part.trim());
}

/** Whether commas outside of all brackets make several of it. */
export function isList(text: string): boolean {
  return text.includes(",") && split(text, ",").length > 1;
}

/** Whether the bracket before `start` is closed at `end` and not earlier. */
function closes(text: string, start: number, end: number): boolean {
  let depth = 1;
  for (let at = start; at < end; at++) {
    const character = text[at] ?? "";
    if (OPENING.has(character)) depth += 1;
    else if (CLOSING.has(character) && --depth === 0) return false;
  }
  return depth === 1 && end > start;
}

/** Without the brackets around all of it: (A) is A, [4] and \{4\} are 4, and (x+1) is x+1. */
export function withoutBrackets(text: string): string {
  let inner = isSet(text) && isElement(text) ? text.slice(2, -2) : text;
  while (/^(?:[({].*[)}]|\[.*\])$/s.test(inner) && closes(inner, 1, inner.length - 1)) inner = inner.slice(1, -1);
  return inner;
}
