import { Unreadable } from "./literals.js";
import { ERRORS, GLOBALS, GUARDED, METHODS, OWN, PRINTS, type Surroundings, WITH_TESTS } from "./names.js";
import { OwnClasses } from "./own-classes.js";
import { isProperty, type Token, tokensOf } from "./tokens.js";

/** A program that can do nothing but compute, in tokens; or why it may do more. */
export type Inspected = { tokens: readonly Token[] } | { doubt: string };

/**
 * Tells by its tokens alone whether a JavaScript program can do nothing but compute. Everything that is not known to be
 * harmless is in doubt: a doubt costs nothing but the second opinion, or a process.
 */
export function inspected(text: string, surroundings: Surroundings = WITH_TESTS): Inspected {
  if (text.length > LONGEST) return { doubt: "it is very long" };
  try {
    const tokens = tokensOf(text);
    const doubt = new Inspection(tokens, surroundings).doubt();
    return doubt === null ? { tokens } : { doubt: `it uses ${doubt}` };
  } catch (error) {
    if (error instanceof Unreadable) return { doubt: error.message };
    throw error;
  }
}

/** No answer to a task is longer, and looking at it would take long. */
const LONGEST = 100_000;

/** What the names begin with that a rewritten program finds besides its own. */
export const OURS = "assay$";

const ASSIGNING = /^(?:=|[-+*/%&|^]=|\*\*=|<<=|>>=|>>>=|&&=|\|\|=|\?\?=|\+\+|--)$/;

class Inspection {
  readonly #tokens: readonly Token[];
  readonly #around: Surroundings;
  readonly #classes: OwnClasses;

  constructor(tokens: readonly Token[], surroundings: Surroundings) {
    this.#tokens = tokens;
    this.#around = surroundings;
    this.#classes = new OwnClasses(tokens);
  }

  /** The first thing that is not harmless; null when all is. */
  doubt(): string | null {
    const at = this.#tokens.findIndex((token, place) => !this.#isHarmless(token, place));
    return at === -1 ? null : (this.#tokens[at]?.value.slice(0, 60) ?? "");
  }

  #isHarmless({ kind, value }: Token, at: number): boolean {
    if (kind === "string") return !(this.#around.refused.has(value) || GUARDED.has(value) || this.#isKeyOfMethod(at));
    if (kind !== "word" && kind !== "private") return true;
    if (this.#around.refused.has(value) || value.startsWith(OURS)) return false;
    if (this.#around.isShared && !this.#isAlikeEverywhere(value, at)) return false;
    if (GUARDED.has(value)) return this.#isGuarded(value, at);
    if (isProperty(this.#tokens, at)) return this.#isHarmlessProperty(value, at);
    return this.#isKey(at) || this.#isHarmlessName(value, at);
  }

  /** False for what answers in another way where a program was written anew, in a context among others. */
  #isAlikeEverywhere(name: string, at: number): boolean {
    if (isProperty(this.#tokens, at) || this.#isKey(at)) return true;
    const [before, next] = [this.#text(at - 1), this.#text(at + 1)];
    if (name === "this") return this.#classes.isWithin(at);
    if (name === "console") return next === "." && PRINTS.has(this.#text(at + 2)) && this.#text(at + 3) === "(";
    // What was matched last is to be had from its maker.
    if (name === "RegExp") return next === "(" || before === "instanceof";
    return !ERRORS.has(name) || (next === "(" && before === "new" && this.#text(at - 2) === "throw");
  }

  /** A key in quotes would be read like a name, and is written by nobody where a method is meant. */
  #isKeyOfMethod(at: number): boolean {
    return (
      METHODS.has(this.#tokens[at]?.value ?? "") && this.#text(at + 1) === ":" && /^[{,]$/.test(this.#text(at - 1))
    );
  }

  #isHarmlessName(name: string, at: number): boolean {
    const next = this.#text(at + 1);
    if (this.#around.intrinsics.has(name))
      return !ASSIGNING.test(next) && !(name === "Promise" && this.#text(at - 1) === "extends");
    if (name === "require") return this.#isRequire(at);
    const members = this.#around.members.get(name);
    if (members !== undefined) return next === "." && members.has(this.#text(at + 2));
    if (name === "console") return next === "." && this.#text(at + 3) === "(";
    if (this.#around.callable.has(name)) return this.#isOnlyCalled(at);
    return OWN.has(name) || !GLOBALS.has(name);
  }

  #isRequire(at: number): boolean {
    if (this.#text(at + 1) === "." && this.#text(at + 2) === "main") return true;
    const name = this.#tokens[at + 2];
    const isCall = this.#text(at + 1) === "(" && name?.kind === "string" && this.#text(at + 3) === ")";
    return isCall && this.#around.modules.has(name.value.replace(/^node:/, ""));
  }

  #isOnlyCalled(at: number): boolean {
    const [before, next] = [this.#text(at - 1), this.#text(at + 1)];
    if (["const", "let", "var", "function", "class"].includes(before)) return false;
    if (next === "(" || before === "new" || before === "instanceof") return true;
    return next === "." && this.#text(at + 3) === "(";
  }

  /** A method of a list, a text or a function may be called. Only what is the program's own may get another one. */
  #isHarmlessProperty(name: string, at: number): boolean {
    if (name === "arguments") return false;
    if (!METHODS.has(name)) return true;
    const next = this.#text(at + 1);
    if (next === "(" || next === "." || next === "?.") return true;
    const owner = this.#text(at - 2);
    return owner === "this" || owner === "exports" || this.#classes.isPrototypeAt(at - 2) || this.#classes.has(owner);
  }

  #isGuarded(name: string, at: number): boolean {
    const next = this.#text(at + 1);
    const isMember = isProperty(this.#tokens, at);
    if (name === "then" || name === "valueOf") return isMember && next === "(";
    if (name === "prototype") return this.#classes.isPrototypeAt(at) || this.#isBorrowed(at);
    if (name === "assign") return this.#isOwnAssign(at);
    if (!isMember) return next === "(" && this.#classes.isInBody(at);
    if (next === "." && this.#text(at + 2) === "name" && !ASSIGNING.test(this.#text(at + 3))) return true;
    return next === "=" && this.#classes.isPrototypeAt(at - 2);
  }

  /** `Array.prototype.slice.call(…)` and its like. */
  #isBorrowed(at: number): boolean {
    const isKnown = isProperty(this.#tokens, at) && this.#around.intrinsics.has(this.#text(at - 2));
    return (
      isKnown && this.#text(at + 1) === "." && this.#text(at + 3) === "." && /^(?:call|apply)$/.test(this.#text(at + 4))
    );
  }

  /** Into an object that is made for it: what the tests have handed over must not get other methods. */
  #isOwnAssign(at: number): boolean {
    const isObject = this.#text(at - 1) === "." && this.#text(at - 2) === "Object" && this.#text(at + 1) === "(";
    const [into, next] = [this.#text(at + 2), this.#text(at + 3)];
    return isObject && (into === "{" || (into === "this" && next === ","));
  }

  #isKey(at: number): boolean {
    return (
      this.#text(at + 1) === ":" && /^[{,]$/.test(this.#text(at - 1)) && !this.#around.callable.has(this.#text(at))
    );
  }

  /** Of marks and words; a string that looks like a mark is none. */
  #text(at: number): string {
    const token = this.#tokens[at];
    return token === undefined || token.kind === "string" ? "" : token.text;
  }
}
