import { registry, requireShape, type Tokenizer, UsageError } from "../../core/index.js";
import { loadTokenizer } from "./tokenizer.js";

/** The tokenizer of runs that name none. */
const DEFAULT_TOKENIZER = "cl100k_base";

/**
 * Returns the tokenizer with this name, from the package or from a plugin, or checks one that was passed. A registered
 * tokenizer is known by the name it was registered under, which runs store and compare.
 * @example
 * resolveTokenizer("o200k_base").count("hello world"); // 2
 */
export function resolveTokenizer(given: string | Tokenizer = DEFAULT_TOKENIZER): Tokenizer {
  if (typeof given !== "string") {
    if (typeof given?.count === "function") return given;
    throw new UsageError("The tokenizer must be a name or an object with a method count(text).");
  }
  // Parts of the library work without the names that the package registers.
  if (given === DEFAULT_TOKENIZER && !registry.has("tokenizer", given)) return loadTokenizer(given);
  const registered = registry.get("tokenizer", given);
  const made = typeof registered === "function" ? registered() : registered;
  const count: unknown = Reflect.get(Object(made) as object, "count");
  requireShape(`The tokenizer "${given}"`, { name: given, count }, ["count"]);
  return made.name === given ? made : withName(made, given);
}

function withName(tokenizer: Tokenizer, name: string): Tokenizer {
  const countPieces = tokenizer.countPieces?.bind(tokenizer);
  return { name, count: (text) => tokenizer.count(text), ...(countPieces === undefined ? {} : { countPieces }) };
}
