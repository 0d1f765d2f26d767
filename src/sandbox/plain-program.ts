import { inspected } from "./javascript/harmless.js";
import { IN_CONTEXT } from "./javascript/names.js";
import { rewritten } from "./javascript/rewritten.js";
import type { Program } from "./sandbox.js";

/**
 * A JavaScript program that can do nothing but compute and print, written from the tokens that were looked at; null for
 * any other.
 */
export function plainProgram({ language, files, main, stdin = "" }: Program): string | null {
  if (language !== "javascript" || stdin !== "" || !/\.c?js$/.test(main) || "package.json" in files) return null;
  const found = inspected(files[main] ?? "", IN_CONTEXT);
  return "tokens" in found ? rewritten(found.tokens) : null;
}
