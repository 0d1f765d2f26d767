import { readRegex, readString, readTemplate, skipComment, Unreadable } from "./literals.js";

/** A piece of JavaScript. Comments and spaces are none. */
export interface Token {
  kind: "word" | "private" | "number" | "string" | "template" | "regex" | "mark";
  /** As it stands in the program; of a template the part between two values, with its ends. */
  text: string;
  /** What a string says; the same as `text` for all others. */
  value: string;
  /** True when a line ends before it, which may end a statement. */
  isOnNewLine: boolean;
  /** Of a closing bracket: where the opening one is. */
  opener: number;
  /** Of an opening bracket: where the closing one is. */
  closer: number;
  /** Where the bracket opens that it stands in; -1 at the top level. */
  within: number;
}

const WORD = /[A-Za-z_$][\w$]*/y;
const NUMBER = /0[xX][\da-fA-F_]+n?|0[bBoO][\d_]+n?|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?n?/y;
const MARK =
  />>>=|\.\.\.|===|!==|\*\*=|<<=|>>=|>>>|&&=|\|\|=|\?\?=|=>|==|!=|<=|>=|&&|\|\||\?\?|\?\.(?!\d)|\+\+|--|\+=|-=|\*=|\/=|%=|&=|\|=|\^=|<<|>>|\*\*|[{}()[\];,<>+\-*/%&|^!~?:=.]/y;
/** Words after which a value begins, so that a slash begins a pattern. */
const BEFORE_VALUE = new Set(
  "return typeof case in of delete void throw new instanceof do else yield await".split(" "),
);
const WITH_CONDITION = new Set(["if", "while", "for"]);
const CLOSES: Readonly<Record<string, string>> = { ")": "(", "]": "[", "}": "{" };

/**
 * The tokens of a program. Whether a slash divides or begins a pattern is a guess from what stands before it: whoever
 * writes the tokens out again has to see to it that the guess holds.
 */
export function tokensOf(text: string): Token[] {
  // Comments of another kind for Node, marks for others.
  if (/<!--|-->/.test(text)) throw new Unreadable("a comment of HTML");
  const reader = new TokenReader(text);
  while (!reader.isDone) reader.next();
  return reader.finished();
}

class TokenReader {
  readonly #text: string;
  readonly #tokens: Token[] = [];
  /** Places of open brackets; of a template those of its parts. */
  readonly #open: number[] = [];
  #at = 0;
  #isOnNewLine = false;

  constructor(text: string) {
    this.#text = text;
  }

  get isDone(): boolean {
    return this.#at >= this.#text.length;
  }

  finished(): Token[] {
    if (this.#open.length > 0) throw new Unreadable("a bracket is not closed");
    return this.#tokens;
  }

  next(): void {
    const here = this.#text.charAt(this.#at);
    const two = this.#text.slice(this.#at, this.#at + 2);
    if (/\s/.test(here)) this.#space(here);
    else if (two === "//" || two === "/*") this.#comment();
    else if (here === '"' || here === "'") this.#string();
    else if (here === "`") this.#template();
    else if (here === "}" && this.#opened()?.kind === "template") this.#template();
    else if (here === "/" && this.#isValueNext()) this.#push("regex", readRegex(this.#text, this.#at));
    else if (here === "#") this.#push("private", `#${this.#match(WORD, this.#at + 1)}`);
    else if (/[\w$]/.test(here) || /^\.\d/.test(two)) this.#wordOrNumber(here);
    else this.#mark();
  }

  #space(here: string): void {
    // What ends a line for some readers of the language and not for others.
    if (here === "\r" || here === "\u2028" || here === "\u2029") throw new Unreadable("an unusual end of a line");
    if (here === "\n") this.#isOnNewLine = true;
    this.#at += 1;
  }

  #comment(): void {
    const end = skipComment(this.#text, this.#at);
    if (this.#text.slice(this.#at, end).includes("\n")) this.#isOnNewLine = true;
    this.#at = end;
  }

  #string(): void {
    const { text, value } = readString(this.#text, this.#at);
    this.#push("string", text, value);
  }

  #template(): void {
    const isFirst = this.#text.charAt(this.#at) === "`";
    const opener = isFirst ? -1 : (this.#open.pop() ?? -1);
    const text = readTemplate(this.#text, this.#at);
    this.#push("template", text, text, opener);
    if (text.endsWith("${")) this.#open.push(this.#tokens.length - 1);
  }

  #wordOrNumber(here: string): void {
    const isWord = /[A-Za-z_$]/.test(here);
    this.#push(isWord ? "word" : "number", this.#match(isWord ? WORD : NUMBER, this.#at));
    if (!isWord && /[\w$]/.test(this.#text.charAt(this.#at))) throw new Unreadable("a number that a name follows");
  }

  #mark(): void {
    const text = this.#match(MARK, this.#at);
    const opens = CLOSES[text];
    const opener = opens === undefined ? -1 : (this.#open.pop() ?? -1);
    if (opens !== undefined && this.#tokens[opener]?.text !== opens) throw new Unreadable("brackets do not match");
    const opened = this.#tokens[opener];
    if (opened !== undefined) opened.closer = this.#tokens.length;
    this.#push("mark", text, text, opener);
    if (text === "(" || text === "[" || text === "{") this.#open.push(this.#tokens.length - 1);
  }

  #match(pattern: RegExp, at: number): string {
    pattern.lastIndex = at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) throw new Unreadable(`an unusual character: ${this.#text.charAt(at)}`);
    return found;
  }

  #opened(): Token | undefined {
    return this.#tokens[this.#open.at(-1) ?? -1];
  }

  /** True where a value may begin and nothing can be divided. */
  #isValueNext(): boolean {
    const last = this.#tokens.at(-1);
    if (last === undefined) return true;
    if (last.kind === "word") return BEFORE_VALUE.has(last.text) && !isProperty(this.#tokens, this.#tokens.length - 1);
    if (last.kind === "template") return last.text.endsWith("${");
    if (last.kind !== "mark") return false;
    if (last.text === ")") return endsCondition(this.#tokens, this.#tokens.length - 1);
    return !["]", "}", "++", "--"].includes(last.text);
  }

  #push(kind: Token["kind"], text: string, value = text, opener = -1): void {
    this.#tokens.push({
      kind,
      text,
      value,
      isOnNewLine: this.#isOnNewLine,
      opener,
      closer: -1,
      within: this.#open.at(-1) ?? -1,
    });
    this.#isOnNewLine = false;
    this.#at += text.length;
  }
}

/** True for a name behind a dot. */
export function isProperty(tokens: readonly Token[], at: number): boolean {
  const before = tokens[at - 1];
  return before?.kind === "mark" && (before.text === "." || before.text === "?.");
}

/** True for the bracket that ends the head of an `if`, `while` or `for`. */
export function endsCondition(tokens: readonly Token[], at: number): boolean {
  const opener = tokens[at]?.opener ?? -1;
  const before = tokens[opener - 1]?.text === "await" ? opener - 2 : opener - 1;
  return WITH_CONDITION.has(tokens[before]?.text ?? "") && !isProperty(tokens, before);
}
