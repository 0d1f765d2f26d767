import { definitions, wordsOf } from "./definitions.js";

const TYPING = [
  "Any",
  "Callable",
  "Deque",
  "DefaultDict",
  "Dict",
  "FrozenSet",
  "Generator",
  "Iterable",
  "Iterator",
].concat(["List", "Mapping", "Optional", "Sequence", "Set", "Tuple", "Type", "Union"]);

/** Adds the imports that sites which ask for a `class Solution` give every program. */
export function withTyping(code: string): string {
  if (!/^class[ \t]+Solution\b/m.test(code)) return code;
  const known = new Set(definitions(code, "python").map(({ name }) => name));
  const words = wordsOf(code);
  const missing = known.has("*") ? [] : TYPING.filter((name) => words.has(name) && !known.has(name));
  if (missing.length === 0) return code;
  const added = `from typing import ${missing.join(", ")}\n`;
  // Imports of the future stand before all others.
  const [future = ""] = /^(?:from[ \t]+__future__[^\n]*\n)+/.exec(code) ?? [];
  return future + added + code.slice(future.length);
}
