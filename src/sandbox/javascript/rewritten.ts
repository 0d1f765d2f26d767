import { OURS } from "./harmless.js";
import { classBodies } from "./own-classes.js";
import { endsCondition, isProperty, type Token } from "./tokens.js";

/** The function that looks at each computed key while the program runs. */
export const KEY_CHECK = `${OURS}key`;

/** Words that a list may follow; behind any other word a bracket asks for a property. */
const BEFORE_LIST = new Set(
  "return typeof case in delete void throw new instanceof do else yield const var extends".split(" "),
);
/** What stands around a word that is used as a name: it is declared, assigned, handed over, or asked for something. */
const BEFORE_NAME = new Set("var let const function class".split(" "));
const BEHIND_NAME = /^(?:[,)\]}.]|\?\.|=>|of|in|\+\+|--|(?:[-+*/%&|^]|\*\*|<<|>>|>>>|&&|\|\||\?\?)?=)$/;
const BEFORE_METHOD = new Set(["get", "set", "static", "async", "*"]);

/**
 * The program with every computed key going through a check, written from its tokens alone: what was not read as code
 * does not come out as code. Patterns stand in brackets and divisions end their line, so that whatever runs it has to
 * read a slash as it was read here. Null when it is not sure what a bracket means.
 */
export function rewritten(tokens: readonly Token[]): string | null {
  const known = { bodies: classBodies(tokens), isYieldName: isName(tokens, "yield") };
  const closing = new Set<number>();
  const written: string[] = [];
  for (const [at, token] of tokens.entries()) {
    const use = token.kind === "mark" && token.text === "[" ? bracketAt(tokens, at, known) : "list";
    if (use === "unknown") return null;
    if (use === "key") closing.add(at);
    const isChecked = token.text === "]" && token.kind === "mark" && closing.has(token.opener);
    const text = use === "key" ? `[${KEY_CHECK}(` : isChecked ? ")]" : textOf(token);
    written.push(token.isOnNewLine ? "\n" : " ", text);
  }
  return written.join("");
}

/** What is known of the whole program. */
interface Known {
  /** Where the bodies of classes begin. */
  bodies: ReadonlySet<number>;
  /** Whether `yield` may be a name in it. */
  isYieldName: boolean;
}

function textOf({ kind, text, value }: Token): string {
  if (kind === "string") return JSON.stringify(value);
  if (kind === "regex") return `(${text})`;
  return kind === "mark" && (text === "/" || text === "/=") ? `${text}\n` : text;
}

/** Whether an opening bracket begins a list or asks for a property by a key that is computed. */
function bracketAt(tokens: readonly Token[], at: number, known: Known): "list" | "key" | "unknown" {
  const before = tokens[at - 1];
  if (before === undefined) return "list";
  const isInClass = known.bodies.has(tokens[at]?.within ?? -1);
  if (isInClass && isMemberNext(before)) return "key";
  // A field of that name, and the next one.
  if (isInClass && before.text === "let") return "unknown";
  if (before.kind === "word") return afterWord(tokens, at, known);
  if (before.kind === "template") return before.text.endsWith("${") ? "list" : "key";
  if (before.kind !== "mark") return "key";
  if (before.text === "]" || before.text === "?.") return "key";
  if (before.text === ")") return endsCondition(tokens, at - 1) ? "list" : "key";
  if (before.text === "}") return "unknown";
  return isKeyOfObject(tokens, at) ? "key" : "list";
}

/** In a class: true where its next member begins. */
function isMemberNext({ text }: Token): boolean {
  return text === "{" || text === "}" || text === ";" || BEFORE_METHOD.has(text);
}

function afterWord(tokens: readonly Token[], at: number, { isYieldName }: Known): "list" | "key" | "unknown" {
  const { text } = tokens[at - 1] ?? { text: "" };
  if (isProperty(tokens, at - 1)) return "key";
  if (text === "of") return isForOf(tokens, at - 1) ? "list" : "unknown";
  if (text === "let") return isDeclaration(tokens, at - 1) ? "list" : "unknown";
  if (text === "await" || (text === "yield" && isYieldName)) return "unknown";
  if (BEFORE_METHOD.has(text) && isKeyOfObject(tokens, at)) return "key";
  return BEFORE_LIST.has(text) ? "list" : "key";
}

/** True for the word of a loop, which is no name there: `for (const x of`, `for (x of`, `for (const { x } of`. */
function isForOf(tokens: readonly Token[], at: number): boolean {
  const opener = tokens[at]?.within ?? -1;
  if (tokens[opener]?.text !== "(" || !/^(?:for|await)$/.test(tokens[opener - 1]?.text ?? "")) return false;
  const isDeclared = /^(?:const|let|var)$/.test(tokens[opener + 1]?.text ?? "");
  const begin = opener + (isDeclared ? 2 : 1);
  const last = tokens[at - 1];
  if (last?.kind === "word") return begin === at - 1 && !BEFORE_LIST.has(last.text);
  return isDeclared && last?.kind === "mark" && last.opener === begin;
}

/** True when the word may stand for a name anywhere in the program: then it is not sure what it means elsewhere. */
function isName(tokens: readonly Token[], word: string): boolean {
  return tokens.some(({ kind, text }, at) => {
    if (kind !== "word" || text !== word || isProperty(tokens, at)) return false;
    return BEFORE_NAME.has(tokens[at - 1]?.text ?? "") || BEHIND_NAME.test(tokens[at + 1]?.text ?? "");
  });
}

/** True where the word can only begin a declaration: where a statement begins, or the head of a loop. */
function isDeclaration(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  if (before === undefined) return true;
  if (before.kind === "template" && before.text.endsWith("${")) return false;
  if (before.kind === "mark" && before.text === "(")
    return tokens[at - 2]?.text === "for" && !isProperty(tokens, at - 2);
  if (before.kind === "mark" && /^[;{}]$/.test(before.text)) return true;
  const isEnd = before.kind === "mark" ? /^[)\]]$/.test(before.text) : !BEFORE_LIST.has(before.text);
  return isEnd && tokens[at]?.isOnNewLine === true && !(before.kind === "word" && before.text === "of");
}

/** `{ [key]: value }`, `{ [key]() {} }` and the same in a pattern. */
function isKeyOfObject(tokens: readonly Token[], at: number): boolean {
  if (tokens[tokens[at]?.within ?? -1]?.text !== "{") return false;
  const before = tokens[at - 1]?.text ?? "";
  if (before !== "{" && before !== "," && !BEFORE_METHOD.has(before)) return false;
  const end = tokens[at]?.closer ?? -1;
  return tokens[end + 1]?.text === ":" || tokens[end + 1]?.text === "(";
}
