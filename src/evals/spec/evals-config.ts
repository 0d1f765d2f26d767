import type { Environment } from "../../core/environment.js";
import { UsageError } from "../../core/errors.js";
import type { KeyPath } from "../../utils/files/yaml-tree.js";
import type { SharedEnvironment } from "./spec-environment.js";

/** What `assay.config.*` says of evals. */
export interface EvalsConfig {
  /** Where eval files are looked for: files, folders, patterns. */
  readonly paths?: readonly string[];
  /** Chosen parts of them, by name. */
  readonly suites?: Readonly<Record<string, EvalSuite>>;
  /** Environments that eval files name. */
  readonly environments?: Readonly<Record<string, Environment>>;
}

/** A part of the evals of a project. */
export interface EvalSuite {
  /** Instead of those of the project. */
  readonly paths?: readonly string[];
  /** Filters that a stimulus must meet, all of them: `area=js`, `!slow`. */
  readonly tags?: readonly string[];
}

/** Something wrong with what a config file says of evals. */
export interface EvalsConfigProblem {
  /** Below `evals`. */
  readonly path: KeyPath;
  /** True when the key itself is wrong that the path ends with. */
  readonly isKey: boolean;
  readonly text: string;
}

/** Everything that is wrong with what a config file says of evals. */
export async function evalsConfigProblems(value: unknown): Promise<readonly EvalsConfigProblem[]> {
  const [{ evalsSchema, EVALS_RULES }, { schemaProblems }] = await Promise.all([
    import("./evals-schema.js"),
    import("./findings.js"),
  ]);
  return schemaProblems(evalsSchema, value, EVALS_RULES);
}

/**
 * Throws unless the value is what a config file may say of evals, and says what is wrong with it.
 * @example
 * const evals = await checkEvalsConfig({ paths: ["evals"], suites: { fast: { tags: ["!slow"] } } });
 */
export async function checkEvalsConfig(value: unknown): Promise<EvalsConfig> {
  const problems = await evalsConfigProblems(value);
  if (problems.length > 0) throw new UsageError(problems.map(({ text }) => `evals: ${text}`).join("\n"));
  return value as EvalsConfig;
}

/** The environments of a config file, with the folder that their paths are relative to. */
export function sharedEnvironments({ environments = {} }: EvalsConfig, dir: string): Record<string, SharedEnvironment> {
  return Object.fromEntries(Object.entries(environments).map(([name, environment]) => [name, { environment, dir }]));
}
