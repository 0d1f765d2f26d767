import type { Dataset, DatasetDefinition } from "./dataset.js";
import { RegistryError, ShapeError } from "./errors.js";
import type { Evaluator } from "./evaluator.js";
import type { Grader, GraderFactory } from "./grader.js";
import type { Metric } from "./metric.js";
import type { EvalResult } from "./result.js";
import { describe, requireShape } from "./shape.js";
import { didYouMean } from "./suggest.js";
import type { System } from "./system.js";

/** What a run allows the things that are made for it. */
export interface Permissions {
  /** Generated code may be run without a sandbox. */
  unsafeLocalExec?: boolean;
}

/** Makes a thing from what follows its name on the command line: `truncate:0.5` calls the factory of `truncate` with "0.5". */
export type Factory<T> = (argument?: string, permissions?: Permissions) => T | Promise<T>;

/** A report as text; large ones come in pieces. */
export type Rendered = string | Iterable<string>;

/** Renders a result, at once or after reading what it needs. */
export interface Reporter {
  readonly name: string;
  render(result: EvalResult, options?: ReportOptions): Rendered | Promise<Rendered>;
}

/** A gate of the command that made a run, and whether it was passed. */
export interface GateVerdict {
  /** As it was asked for: `--fail-under pass_rate=0.9`. */
  readonly gate: string;
  readonly passed: boolean;
  /** What was found, in words. */
  readonly words: string;
}

/** What a reporter is told besides the result. */
export interface ReportOptions {
  /** The gates that decide the exit code of the command; left out where there is no command. */
  gates?: readonly GateVerdict[];
  /** Which groups of columns a table shows. */
  columns?: readonly string[];
}

/** What each kind of name stands for. */
export interface RegistryKinds {
  dataset: DatasetDefinition;
  system: System | Factory<System>;
  evaluator: Evaluator | Factory<Evaluator>;
  metric: Metric | Factory<Metric>;
  reporter: Reporter;
  grader: Grader | GraderFactory;
}

/** The kinds of things that can be registered. */
export type RegistryKind = keyof RegistryKinds;

const METHODS: Record<RegistryKind, readonly string[]> = {
  dataset: ["load"],
  system: ["process"],
  evaluator: ["score"],
  metric: ["compute"],
  reporter: ["render"],
  grader: ["grade"],
};

/**
 * Names for everything that can be plugged in.
 * @example
 * registry.register("evaluator", "brief", { name: "brief", score: (_, output) => ({ brief: 1 }) });
 * registry.get("evaluator", "brief");
 */
export class Registry {
  readonly #kinds = new Map(Object.keys(METHODS).map((kind) => [kind, new Map<string, unknown>()]));

  register<K extends RegistryKind>(
    kind: K,
    name: string,
    value: RegistryKinds[K],
    options: { replace?: boolean } = {},
  ): void {
    const names = this.#names(kind);
    if (typeof name !== "string" || name === "") throw new RegistryError(`A ${kind} needs a non-empty name.`);
    if (names.has(name) && options.replace !== true) {
      throw new RegistryError(`The ${kind} "${name}" is registered already. Pass { replace: true } to replace it.`);
    }
    checkShape(kind, name, value);
    names.set(name, value);
  }

  get<K extends RegistryKind>(kind: K, name: string): RegistryKinds[K] {
    const names = this.#names(kind);
    if (!names.has(name)) throw new RegistryError(`Unknown ${kind} "${name}".${didYouMean(name, names.keys())}`);
    return names.get(name) as RegistryKinds[K];
  }

  has(kind: RegistryKind, name: string): boolean {
    return this.#names(kind).has(name);
  }

  list(kind: RegistryKind): string[] {
    return [...this.#names(kind).keys()].sort();
  }

  #names(kind: RegistryKind): Map<string, unknown> {
    const names = this.#kinds.get(kind);
    if (names !== undefined) return names;
    throw new RegistryError(`Unknown registry kind ${describe(kind)}.${didYouMean(String(kind), this.#kinds.keys())}`);
  }
}

function checkShape(kind: RegistryKind, name: string, value: unknown): void {
  const mayBeFactory = kind !== "dataset" && kind !== "reporter";
  if (mayBeFactory && typeof value === "function") return;
  if (typeof value !== "object" || value === null) {
    throw new ShapeError(
      `The ${kind} "${name}" must be an object with a method ${METHODS[kind][0]}(), but is ${describe(value)}.`,
    );
  }
  requireShape(`The ${kind}`, { ...methodsOf(value, METHODS[kind]), name }, METHODS[kind]);
}

function methodsOf(value: object, methods: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(methods.map((method) => [method, (value as Record<string, unknown>)[method]]));
}

/** The registry that the library and the command line share. */
export const registry = new Registry();

/** A dataset given by a definition, a function that loads it, or its examples. */
export type RegisteredDataset = DatasetDefinition | DatasetDefinition["load"] | Dataset["examples"];

/**
 * Registers a dataset under a name.
 * @example
 * registerDataset("capitals", [{ id: 1, question: "Capital of France?", answer: "Paris" }]);
 */
export function registerDataset(name: string, dataset: RegisteredDataset, options: { replace?: boolean } = {}): void {
  registry.register("dataset", name, toDefinition(dataset), options);
}

function toDefinition(dataset: RegisteredDataset): DatasetDefinition {
  if (typeof dataset === "function") return { load: dataset };
  const holdsExamples = typeof dataset === "object" && dataset !== null && Symbol.iterator in dataset;
  return holdsExamples ? { load: () => dataset } : dataset;
}
