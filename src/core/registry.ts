import type { Dataset, DatasetDefinition } from "./dataset.js";
import { RegistryError, ShapeError } from "./errors.js";
import type { Evaluator } from "./evaluator.js";
import type { Grader, GraderFactory } from "./grader.js";
import type { HistoryAdjustments } from "./history-adjustment.js";
import type { LabelCorrections } from "./label-correction.js";
import type { Metric } from "./metric.js";
import type { EvalResult } from "./result.js";
import { describeValue, requireShape } from "./shape.js";
import type { StratifiedFigures } from "./strata.js";
import { didYouMean } from "./suggest.js";
import type { System, Tokenizer } from "./system.js";

/** Permissions of a run for the objects created for it. */
export interface Permissions {
  /** Allows running generated code without a sandbox. */
  unsafeLocalExec?: boolean;
}

/** Creates an object from the argument after its name: `truncate:0.5` calls the factory of `truncate` with "0.5". */
export type Factory<T> = (argument?: string, permissions?: Permissions) => T | Promise<T>;

/** A report as text; large ones come in chunks. */
export type RenderedReport = string | Iterable<string>;

/** Renders a result, synchronously or not. */
export interface Reporter {
  readonly name: string;
  render(result: EvalResult, options?: ReportOptions): RenderedReport | Promise<RenderedReport>;
}

/** A gate of the command and its result. */
export interface GateVerdict {
  /** As given on the command line: `--fail-under pass_rate=0.9`. */
  readonly gate: string;
  readonly passed: boolean;
  /** Describes the result. */
  readonly words: string;
}

/** How a command ends. */
export interface RunVerdict {
  readonly exitCode: number;
  /** In a few words: `1 of 2 gates failed`. */
  readonly words: string;
}

/** Options of a reporter. */
export interface ReportOptions {
  /** The gates that decide the exit code; absent outside of a command. */
  gates?: readonly GateVerdict[];
  /** The exit code and its reason; absent outside of a command. */
  verdict?: RunVerdict;
  /** Column groups to show in a table. */
  columns?: readonly string[];
  /** What labels of people say about the verdicts. */
  labels?: LabelCorrections;
  /** What stored runs say about how hard the tasks are. */
  history?: HistoryAdjustments;
  /** Figures for tasks in the same mix of subjects, or of another facet. */
  strata?: StratifiedFigures;
  /** Columns of the terminal the report has to fit; absent for files and pipes, which get Markdown of any width. */
  width?: number;
  /** True if the terminal shows colors. */
  hasColors?: boolean;
}

/** The type behind each kind of name. */
export interface RegistryKinds {
  dataset: DatasetDefinition;
  system: System | Factory<System>;
  evaluator: Evaluator | Factory<Evaluator>;
  metric: Metric | Factory<Metric>;
  reporter: Reporter;
  grader: Grader | GraderFactory;
  tokenizer: Tokenizer | (() => Tokenizer);
}

/** The kinds of objects that can be registered. */
export type RegistryKind = keyof RegistryKinds;

const REQUIRED_METHODS: Record<RegistryKind, readonly string[]> = {
  dataset: ["load"],
  system: ["process"],
  evaluator: ["score"],
  metric: ["compute"],
  reporter: ["render"],
  grader: ["grade"],
  tokenizer: ["count"],
};

/**
 * A registry of named datasets, systems, evaluators, graders, metrics, reporters and tokenizers.
 * @example
 * registry.register("evaluator", "brief", { name: "brief", score: (_, output) => ({ brief: 1 }) });
 * registry.get("evaluator", "brief");
 */
export class Registry {
  readonly #kinds = new Map(Object.keys(REQUIRED_METHODS).map((kind) => [kind, new Map<string, unknown>()]));

  readonly #plugins = new Set<string>();

  /** Records that a plugin registers its entries; false if it has done so before. */
  addPlugin(file: string): boolean {
    const isNew = !this.#plugins.has(file);
    this.#plugins.add(file);
    return isNew;
  }

  register<K extends RegistryKind>(
    kind: K,
    name: string,
    value: RegistryKinds[K],
    options: { replace?: boolean } = {},
  ): void {
    const names = this.#names(kind);
    if (typeof name !== "string" || name === "") throw new RegistryError(`A ${kind} needs a non-empty name.`);
    if (names.has(name) && options.replace !== true) {
      throw new RegistryError(`The ${kind} "${name}" is already registered. Pass { replace: true } to replace it.`);
    }
    requireRegistryShape(kind, name, value);
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
    throw new RegistryError(
      `Unknown registry kind ${describeValue(kind)}.${didYouMean(String(kind), this.#kinds.keys())}`,
    );
  }
}

function requireRegistryShape(kind: RegistryKind, name: string, value: unknown): void {
  const mayBeFactory = kind !== "dataset" && kind !== "reporter";
  if (mayBeFactory && typeof value === "function") return;
  if (typeof value !== "object" || value === null) {
    throw new ShapeError(
      `The ${kind} "${name}" must be an object with a method ${REQUIRED_METHODS[kind][0]}(), but is ${describeValue(value)}.`,
    );
  }
  requireShape(`The ${kind}`, { ...pickMethods(value, REQUIRED_METHODS[kind]), name }, REQUIRED_METHODS[kind]);
}

function pickMethods(value: object, methods: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(methods.map((method) => [method, (value as Record<string, unknown>)[method]]));
}

/** The registry shared by the library and the command line. */
export const registry = new Registry();

/** A dataset as a definition, a loader function or examples. */
export type RegisteredDataset = DatasetDefinition | DatasetDefinition["load"] | Dataset["examples"];

/**
 * Registers a dataset under a name.
 * @example
 * registerDataset("capitals", [{ id: 1, question: "Capital of France?", answer: "Paris" }]);
 */
export function registerDataset(name: string, dataset: RegisteredDataset, options: { replace?: boolean } = {}): void {
  registry.register("dataset", name, toDatasetDefinition(dataset), options);
}

function toDatasetDefinition(dataset: RegisteredDataset): DatasetDefinition {
  if (typeof dataset === "function") return { load: dataset };
  const holdsExamples = typeof dataset === "object" && dataset !== null && Symbol.iterator in dataset;
  return holdsExamples ? { load: () => dataset } : dataset;
}
