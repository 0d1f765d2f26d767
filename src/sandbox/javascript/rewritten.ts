import { OURS } from "./harmless.js";
import { classBodies } from "./own-classes.js";
import { endsCondition, isProperty, type Token } from "./tokens.js";

/** The function that looks at each computed key while the program runs. */
export const KEY_CHECK = `${OURS}key`;

/** Words that a list may follow; behind any other word a bracket asks for a property. */
const BEFORE_LIST = new Set(
  "return typeof case in of delete void throw new instanceof do else yield const let var extends".split(" "),
);
const BEFORE_METHOD = new Set(["get", "set", "static", "async", "*"]);

/**
 * The program with every computed key going through a check, written from its tokens alone: what was not read as code
 * does not come out as code. Patterns stand in brackets and divisions end their line, so that whatever runs it has to
 * read a slash as it was read here. Null when it is not sure what a bracket means.
 */
export function rewritten(tokens: readonly Token[]): string | null {
  const bodies = classBodies(tokens);
  const closing = new Set<number>();
  const written: string[] = [];
  for (const [at, token] of tokens.entries()) {
    const use = token.kind === "mark" && token.text === "[" ? bracketAt(tokens, at, bodies) : "list";
    if (use === "unknown") return null;
    if (use === "key") closing.add(at);
    const isChecked = token.text === "]" && token.kind === "mark" && closing.has(token.opener);
    const text = use === "key" ? `[${KEY_CHECK}(` : isChecked ? ")]" : textOf(token);
    written.push(token.isOnNewLine ? "\n" : " ", text);
  }
  return written.join("");
}

function textOf({ kind, text, value }: Token): string {
  if (kind === "string") return JSON.stringify(value);
  if (kind === "regex") return `(${text})`;
  return kind === "mark" && (text === "/" || text === "/=") ? `${text}\n` : text;
}

/** Whether an opening bracket begins a list or asks for a property by a key that is computed. */
function bracketAt(tokens: readonly Token[], at: number, bodies: ReadonlySet<number>): "list" | "key" | "unknown" {
  const before = tokens[at - 1];
  if (before === undefined) return "list";
  if (bodies.has(tokens[at]?.within ?? -1) && isMemberNext(before)) return "key";
  if (before.kind === "word") return afterWord(tokens, at);
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

function afterWord(tokens: readonly Token[], at: number): "list" | "key" | "unknown" {
  const { text } = tokens[at - 1] ?? { text: "" };
  if (isProperty(tokens, at - 1)) return "key";
  if (text === "of") return isForOf(tokens, at - 1) ? "list" : "unknown";
  if (text === "await") return "unknown";
  if (BEFORE_METHOD.has(text) && isKeyOfObject(tokens, at)) return "key";
  return BEFORE_LIST.has(text) ? "list" : "key";
}

/** True for the word of a loop, which is no name there. */
function isForOf(tokens: readonly Token[], at: number): boolean {
  const opener = tokens[at]?.within ?? -1;
  const before = tokens[at - 1];
  const isLoop = tokens[opener]?.text === "(" && /^(?:for|await)$/.test(tokens[opener - 1]?.text ?? "");
  return isLoop && (before?.kind === "word" || /^[\]}]$/.test(before?.text ?? ""));
}

/** `{ [key]: value }`, `{ [key]() {} }` and the same in a pattern. */
function isKeyOfObject(tokens: readonly Token[], at: number): boolean {
  if (tokens[tokens[at]?.within ?? -1]?.text !== "{") return false;
  const before = tokens[at - 1]?.text ?? "";
  if (before !== "{" && before !== "," && !BEFORE_METHOD.has(before)) return false;
  const end = tokens[at]?.closer ?? -1;
  return tokens[end + 1]?.text === ":" || tokens[end + 1]?.text === "(";
}
