import { describeValue, UsageError } from "../../core/index.js";

interface UncheckedOptions {
  systems?: unknown;
  dataset?: unknown;
  load?: unknown;
  judge?: unknown;
}

/** Throws if an option has the wrong type, before anything is loaded. Memories and readers are checked when they are used. */
export function checkMemoryOptions(options: unknown): void {
  if (!isObjectOption(options)) throw createOptionError("The options of evaluateMemory()", "an object", options);
  const { systems, dataset, load, judge } = options as UncheckedOptions;
  checkMemorySystems(systems);
  checkMemoryDataset(dataset);
  if (load !== undefined && !isObjectOption(load))
    throw createOptionError("`load`", "an object, such as { file }", load);
  if (judge !== undefined && !hasMethod(judge, "score"))
    throw createOptionError("`judge`", "an evaluator, with a method score()", judge);
}

function checkMemorySystems(systems: unknown): void {
  if (!Array.isArray(systems)) throw createOptionError("`systems`", "an array", systems);
  if (systems.length === 0) throw new UsageError("There is no memory to measure. Give at least one in `systems`.");
  const odd = systems.findIndex((one) => !isObjectOption(one) && typeof one !== "function" && typeof one !== "string");
  if (odd === -1) return;
  throw new UsageError(
    `\`systems\` contains ${describeValue(systems[odd])}. Give memories, functions that make one, or names such as "bm25:10".`,
  );
}

function checkMemoryDataset(given: unknown): void {
  if (typeof given === "string") return;
  const { dataset, conversations } = (isObjectOption(given) ? given : {}) as {
    dataset?: unknown;
    conversations?: unknown;
  };
  if (isObjectOption(dataset) && "examples" in dataset && hasMethod(conversations, "get")) return;
  throw createOptionError(
    "`dataset`",
    "a name such as locomo, or an object with a `dataset` and its `conversations`",
    given,
  );
}

function isObjectOption(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function hasMethod(value: unknown, method: string): boolean {
  return isObjectOption(value) && typeof (value as Record<string, unknown>)[method] === "function";
}

function createOptionError(what: string, wanted: string, value: unknown): UsageError {
  return new UsageError(`${what} must be ${wanted}, but is ${describeValue(value)}.`);
}
