import { isProperty, type Token } from "./tokens.js";

const DECLARES = new Set(["function", "class"]);
/** Nobody writes brackets in more brackets. */
const DEEPEST = 100;
const LIST_BEGINS = /^(?:[({[,:]|\.\.\.)$/;
const LIST_ENDS = /^[)}\],]$/;

/** The classes and functions of a program whose names stand for nothing else anywhere in it. */
export class OwnClasses {
  readonly #tokens: readonly Token[];
  readonly #names: ReadonlySet<string>;
  readonly #bodies: ReadonlySet<number>;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
    this.#bodies = classBodies(tokens);
    const exported = exportedNames(tokens);
    const declared = tokens.filter((_, at) => DECLARES.has(tokens[at - 1]?.text ?? "") && !isProperty(tokens, at - 1));
    const names = new Set(declared.filter(({ kind }) => kind === "word").map(({ text }) => text));
    tokens.forEach(({ text }, at) => {
      if (names.has(text) && !exported.has(at) && this.#mayBind(at)) names.delete(text);
    });
    this.#names = names;
  }

  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** True for the word `prototype` behind the name of such a class. */
  isPrototypeAt(at: number): boolean {
    const [owner, dot, word] = [this.#tokens[at - 2], this.#tokens[at - 1], this.#tokens[at]];
    if (owner?.kind !== "word" || dot?.text !== "." || word?.text !== "prototype") return false;
    return this.has(owner.text) && !isProperty(this.#tokens, at - 2);
  }

  /** True for a token directly between the braces of a class. */
  isInBody(at: number): boolean {
    return this.#bodies.has(this.#tokens[at]?.within ?? -1);
  }

  /** True for a token anywhere in a class. */
  isWithin(at: number): boolean {
    let place = this.#tokens[at]?.within ?? -1;
    for (let depth = 0; place !== -1 && depth < DEEPEST; depth += 1) {
      if (this.#bodies.has(place)) return true;
      place = this.#tokens[place]?.within ?? -1;
    }
    return false;
  }

  /** True where the name could be given to something else: assigned, a parameter, taken out of an object. */
  #mayBind(at: number): boolean {
    if (isProperty(this.#tokens, at)) return false;
    const [before, next] = [this.#tokens[at - 1]?.text ?? "", this.#tokens[at + 1]?.text ?? ""];
    if (next === "=" || next === "=>" || ["const", "let", "var"].includes(before)) return true;
    return LIST_BEGINS.test(before) && LIST_ENDS.test(next);
  }
}

/** Where the braces of classes open: the first brace behind the word that stands in no bracket of its own. */
export function classBodies(tokens: readonly Token[]): ReadonlySet<number> {
  const bodies = new Set<number>();
  tokens.forEach(({ kind, text }, at) => {
    if (kind !== "word" || text !== "class" || isProperty(tokens, at)) return;
    const body = bodyAfter(tokens, at);
    if (body !== -1) bodies.add(body);
  });
  return bodies;
}

function bodyAfter(tokens: readonly Token[], from: number): number {
  let depth = 0;
  for (let at = from + 1; at < Math.min(tokens.length, from + 40); at += 1) {
    const { kind, text } = tokens[at] ?? { kind: "mark", text: ";" };
    if (kind !== "mark") continue;
    if (text === "{" && depth === 0) return at;
    if (/^[({[]$/.test(text)) depth += 1;
    if (/^[)}\]]$/.test(text)) depth -= 1;
    if (depth < 0 || (depth === 0 && text === ";")) return -1;
  }
  return -1;
}

/** Names in `module.exports = { A, B }`, where nothing is bound. */
function exportedNames(tokens: readonly Token[]): ReadonlySet<number> {
  const places = new Set<number>();
  tokens.forEach(({ text, kind }, at) => {
    const isExport =
      kind === "mark" && text === "{" && tokens[at - 1]?.text === "=" && tokens[at - 2]?.text === "exports";
    if (!isExport) return;
    for (let place = at + 1; /^(?:[\w$]+|,)$/.test(tokens[place]?.text ?? ""); place += 1) places.add(place);
  });
  return places;
}
