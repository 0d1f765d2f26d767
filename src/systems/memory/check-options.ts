import { UsageError } from "../../core/errors.js";
import { describe } from "../../core/shape.js";

interface Given {
  systems?: unknown;
  dataset?: unknown;
  load?: unknown;
  judge?: unknown;
}

/** Throws if an option has the wrong type, before anything is loaded. Memories and readers are checked when they are used. */
export function checkMemoryOptions(options: unknown): void {
  if (!isObject(options)) throw wrong("The options of evaluateMemory()", "an object", options);
  const { systems, dataset, load, judge } = options as Given;
  checkSystems(systems);
  checkDataset(dataset);
  if (load !== undefined && !isObject(load)) throw wrong("`load`", "an object, such as { file }", load);
  if (judge !== undefined && !has(judge, "score")) throw wrong("`judge`", "an evaluator, with a method score()", judge);
}

function checkSystems(systems: unknown): void {
  if (!Array.isArray(systems)) throw wrong("`systems`", "an array", systems);
  if (systems.length === 0) throw new UsageError("There is no memory to measure. Give at least one in `systems`.");
  const odd = systems.findIndex((one) => !isObject(one) && typeof one !== "function" && typeof one !== "string");
  if (odd === -1) return;
  throw new UsageError(
    `\`systems\` contains ${describe(systems[odd])}. Give memories, functions that make one, or names such as "bm25:10".`,
  );
}

function checkDataset(given: unknown): void {
  if (typeof given === "string") return;
  const { dataset, conversations } = (isObject(given) ? given : {}) as { dataset?: unknown; conversations?: unknown };
  if (isObject(dataset) && "examples" in dataset && has(conversations, "get")) return;
  throw wrong("`dataset`", "a name such as locomo, or an object with a `dataset` and its `conversations`", given);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function has(value: unknown, method: string): boolean {
  return isObject(value) && typeof (value as Record<string, unknown>)[method] === "function";
}

function wrong(what: string, wanted: string, value: unknown): UsageError {
  return new UsageError(`${what} must be ${wanted}, but is ${describe(value)}.`);
}
