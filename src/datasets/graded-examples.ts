import { dirname } from "node:path";
import { DatasetError, messageOf } from "../core/errors.js";
import type { Evaluator } from "../core/evaluator.js";
import type { Example } from "../core/example.js";
import type { Permissions, Registry } from "../core/registry.js";
import { describe } from "../core/shape.js";
import { checkEnvironment } from "../exec/workspace/environment-check.js";
import type { EnvironmentReader } from "../exec/workspace/environment-reader.js";
import { namedEvaluator } from "./named-evaluator.js";

/** Where the evaluators that examples call for come from. */
export interface EvaluatorSource {
  readonly registry: Registry;
  readonly permissions?: Permissions | undefined;
}

/** The evaluator of examples that name graders. */
const GRADERS = "graders";

/** An evaluator that can tell before a run whether an example fits it. */
interface ChecksExamples {
  checkExample?(example: Example): void;
}

/**
 * The evaluators that the examples of a file call for, when they name graders; null when none does. A verdict and a
 * comparison of answers do not make one result, so that all have graders or none.
 */
export async function graderEvaluators(
  examples: readonly Example[],
  { registry, permissions }: EvaluatorSource,
): Promise<readonly Evaluator[] | null> {
  const without = examples.find((example) => !Array.isArray(example.graders));
  const count = examples.filter((example) => Array.isArray(example.graders)).length;
  if (count === 0) return null;
  if (without !== undefined)
    throw new DatasetError(
      `${count} of ${examples.length} examples have graders, but ${JSON.stringify(without.id)} has none. Give all of them graders, or put the others into a file of their own.`,
    );
  const bare = examples.find(({ graders }) => Array.isArray(graders) && graders.length === 0);
  if (bare !== undefined)
    throw new DatasetError(`The example ${JSON.stringify(bare.id)}: its list of graders is empty. Name at least one.`);
  const evaluator = await namedEvaluator(registry, GRADERS, permissions);
  for (const example of examples) (evaluator as ChecksExamples).checkExample?.(example);
  return [evaluator];
}

/** What makes an object in `environment` the place an agent works in, and not a column that happens to have the name. */
const PARTS = ["git", "files", "commands", "env", "skills", "mcpServers"];

/** True for an example that describes the place an agent works in. */
export function hasEnvironment({ environment, graders }: Readonly<Record<string, unknown>>): boolean {
  if (typeof environment !== "object" || environment === null) return false;
  return Array.isArray(graders) || PARTS.some((part) => Object.hasOwn(environment, part));
}

/**
 * What is wrong with the graders or the environment of an example, as far as the row alone tells; null when nothing is.
 * Graders that are no list would be passed over, and answers compared as text instead.
 */
export function problemWithTask(example: Readonly<Record<string, unknown>>): string | null {
  const { graders, environment } = example;
  if (!isNothing(graders) && !Array.isArray(graders))
    return `has ${describe(graders)} and not a list in "graders" (JSON and JSONL can hold one; a column about something else needs another name)`;
  const isTask = Array.isArray(graders) && !isNothing(environment);
  return isTask || hasEnvironment(example) ? problemWithEnvironment(environment) : null;
}

/** An empty cell is no value. */
function isNothing(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}

function problemWithEnvironment(environment: unknown): string | null {
  try {
    checkEnvironment(environment);
    return null;
  } catch (error) {
    return `cannot be used: ${messageOf(error).replace(/\.$/, "")}`;
  }
}

/** Where an example is from: its file, and its place there as messages name it. */
export interface ExamplePlace {
  readonly path: string;
  readonly at: string;
}

/**
 * Puts the content of the files that environments name into them, so that every trial gets the same and content
 * identifies the example. `placeOf` says where an example is from: what it names lies beside its file.
 */
export async function fillEnvironments(
  examples: readonly Example[],
  placeOf: (example: Example) => ExamplePlace,
): Promise<void> {
  const placed = examples.filter(hasEnvironment);
  if (placed.length === 0) return;
  const { EnvironmentReader: Reader } = await import("../exec/workspace/environment-reader.js");
  const readers = new Map<string, EnvironmentReader>();
  for (const example of placed) {
    const { path, at } = placeOf(example);
    const dir = dirname(path);
    const reader = readers.get(dir) ?? new Reader(dir);
    readers.set(dir, reader);
    example.environment = await filled(reader, example, at);
  }
}

async function filled(reader: EnvironmentReader, { id, environment }: Example, at: string): Promise<unknown> {
  try {
    return await reader.read(environment);
  } catch (cause) {
    throw new DatasetError(`${at}: the example ${JSON.stringify(id)}: ${messageOf(cause)}`, { cause });
  }
}
