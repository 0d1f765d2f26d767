import { AssayError, getErrorMessage, ModuleError, ShapeError } from "../../core/errors.js";
import { describeValue } from "../../core/shape.js";
import { type MemoryFactory, type MemorySystem, requireMemory } from "./memory-system.js";

/**
 * The memory of a user's module: its default export or its export `memory`, which is a class, a factory function or an
 * object.
 * @example
 * const memory = createMemoryFromModule(await import("./my-memory.js"), "./my-memory.js");
 */
export function createMemoryFromModule(
  exports: Readonly<Record<string, unknown>>,
  path: string,
): MemorySystem | MemoryFactory {
  const found = exports.default ?? exports.memory;
  if (found !== undefined) return resolveMemorySource(found, `The memory in ${path}`);
  const names = Object.keys(exports).join(", ") || "nothing";
  throw new ShapeError(
    `${path} exports no memory. Export one as \`default\` or as \`memory\`: a class, a function that returns a memory, or an object with reset(), ingest() and query(). It exports ${names}.`,
  );
}

/** Returns a memory, or a factory whose memories are checked when they are made. */
export function resolveMemorySource(value: unknown, what = "A memory"): MemorySystem | MemoryFactory {
  if (typeof value !== "function") return requireMemory(value, what);
  return async () => {
    const made = await makeMemory(value, what);
    if (typeof made === "object" && made !== null) return requireMemory(made, what);
    throw new ShapeError(`${what} is a function that returned ${describeValue(made)}, not a memory.`);
  };
}

async function makeMemory(value: object, what: string): Promise<unknown> {
  try {
    return isClass(value) ? new (value as new () => unknown)() : await (value as () => unknown)();
  } catch (cause) {
    // The error already says what happened and what to do.
    if (cause instanceof AssayError) throw cause;
    throw new ModuleError(
      `${what} could not be made: ${getErrorMessage(cause)}. A function must return a memory and is called without arguments.`,
      { cause },
    );
  }
}

function isClass(value: object): boolean {
  return /^class\b/.test(Function.prototype.toString.call(value));
}
