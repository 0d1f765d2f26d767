import { type RunToken, tokensOf } from "./run-tokens.js";

/** A piece of a text that is mathematics: a marked formula, a number, "x + 1", "(2, 3)". */
export interface Run {
  readonly start: number;
  readonly end: number;
  /** What it says, without the marks of formulas. */
  readonly text: string;
  /** A part of it is marked as a formula. */
  readonly isMarked: boolean;
  /** An equals sign stands before it, behind words. */
  readonly isNamed: boolean;
}

/** The mathematics of a short text, each piece as long as it goes. */
export function runsIn(text: string): Run[] {
  const tokens = tokensOf(text);
  const closings = findClosings(tokens);
  const runs: Run[] = [];
  for (let at = 0; at < tokens.length; ) {
    const end = findEnd(tokens, at, closings);
    const run = end > at ? trimRun(tokens.slice(at, end), tokens[at - 1]) : null;
    if (run !== null) runs.push(run);
    at = Math.max(end, at + 1);
  }
  return runs;
}

/** The bracket that closes each opening one, where all between them is mathematics: words make it a remark. */
function findClosings(tokens: readonly RunToken[]): ReadonlyMap<number, number> {
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

/** Where the run that begins at a token ends: behind its last token. */
function findEnd(tokens: readonly RunToken[], from: number, closings: ReadonlyMap<number, number>): number {
  let end = from;
  let previous: RunToken | null = null;
  for (let at = from; at < tokens.length; at++) {
    const token = tokens[at];
    if (token?.kind === "space") continue;
    const closing = token?.kind === "open" ? closings.get(at) : undefined;
    if (token === undefined || !(closing === undefined ? goesOn(tokens, at, previous) : isFactor(token, previous)))
      break;
    at = closing ?? at;
    previous = tokens[at] ?? null;
    end = at + 1;
  }
  return withoutDash(tokens, from, end);
}

/** "24 (12 + 12)" says how a number came about; "2(3 + 4)" is a product. */
function isFactor({ start }: RunToken, previous: RunToken | null): boolean {
  return (
    previous === null || previous.end === start || !["number", "suffix", "unit", "span", "word"].includes(previous.kind)
  );
}

function goesOn(tokens: readonly RunToken[], at: number, previous: RunToken | null): boolean {
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
      return isVariable(tokens, at, previous);
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

/** Letters that are multiplied, as in "4ab"; those of units and hours are not. */
const PRODUCT = /^[abcijkmnpqrtuvwxyz]{2,3}$/;
const UNIT = /^(?:[mgshlLCFWVJNKkMB]|[mcknp]m|mins?|[ap]m|rpm|ct|pt|qt|cc|kn|bn|mi|in|[km]b|[km]w|[km]v)$/;

function isAttached(token: RunToken, previous: RunToken | null): boolean {
  return previous?.kind === "number" && previous.end === token.start;
}

/** Whether a number or a formula behind another goes on with it: "1 3/4", "1 234", "\ln 4", "2 $\sqrt3$". */
function isJoined(tokens: readonly RunToken[], at: number, previous: RunToken): boolean {
  const token = tokens[at];
  if (token === undefined || previous.kind === "function" || previous.end === token.start) return token !== undefined;
  if (previous.kind !== "number") return false;
  if (token.kind === "span") return /^\s*\\(?:[dtc]?frac|sqrt|pi)/.test(token.text);
  const isGroup = /^\d{3}(?:[.,]\d+)?$/.test(token.text) && /^\D{0,3}[1-9]\d{0,2}$/.test(previous.text);
  const isMixed = nextOf(tokens, at)?.text === "/" && /^\d{1,3}$/.test(token.text) && /^\d+$/.test(previous.text);
  return isGroup || isMixed;
}

/** Whether a single letter stands for a number: it is calculated with. Otherwise it is a word, or a unit. */
function isVariable(tokens: readonly RunToken[], at: number, previous: RunToken | null): boolean {
  const token = tokens[at];
  const next = nextOf(tokens, at);
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

function nextOf(tokens: readonly RunToken[], at: number): RunToken | undefined {
  return tokens[at + 1]?.kind === "space" ? tokens[at + 2] : tokens[at + 1];
}

/** In "24 - two of them" and "20 - 8 of these are red" a dash begins a remark; in "20 - 8 = 12 eggs" it subtracts. */
function withoutDash(tokens: readonly RunToken[], from: number, end: number): number {
  const behind = nextOf(tokens, end - 1)?.kind;
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

/** Without operators that have nothing to work on: "= 24", "* 8"; null when nothing is left. */
function trimRun(tokens: readonly RunToken[], before: RunToken | undefined): Run | null {
  const isDangling = ({ kind }: RunToken): boolean => kind === "operator" || kind === "space";
  const last = tokens.findLastIndex((token) => !isDangling(token));
  const first = tokens.findIndex((token, at) => !isDangling(token) || isSign(tokens, at, before));
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

/** A dash before a space begins an item of a list, and one behind a word is a hyphen. */
function isSign(tokens: readonly RunToken[], at: number, before: RunToken | undefined): boolean {
  const token = tokens[at];
  if (token === undefined || !FIRST.test(token.text)) return false;
  const isBare = DASH.test(token.text) || token.text === "+";
  const previous = at === 0 ? before : tokens[at - 1];
  const isHyphen = (previous?.kind === "word" || previous?.kind === "letter") && previous.end === token.start;
  const isBehindEquals = tokens.slice(0, at).some(({ text }) => text === "=" || text === "≈");
  return !isBare || isBehindEquals || (tokens[at + 1]?.kind !== "space" && !isHyphen);
}
