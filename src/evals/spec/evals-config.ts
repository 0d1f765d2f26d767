import type { Environment } from "../../core/index.js";
import { UsageError } from "../../core/index.js";
import type { KeyPath } from "../../utils/index.js";
import type { SharedEnvironment } from "./spec-environment.js";

/** The `evals` section of `assay.config.*`. */
export interface EvalsConfig {
  /** Where to look for eval files: files, folders, patterns. */
  readonly paths?: readonly string[];
  /** Named selections of evals. */
  readonly suites?: Readonly<Record<string, EvalSuite>>;
  /** Environments that eval files can refer to by name. */
  readonly environments?: Readonly<Record<string, Environment>>;
}

/** A selection of the project's evals. */
export interface EvalSuite {
  /** Replaces the paths of the project. */
  readonly paths?: readonly string[];
  /** Tag filters that a test case must all meet: `area=js`, `!slow`. */
  readonly tags?: readonly string[];
}

/** A problem in the `evals` section of a config file. */
export interface EvalsConfigProblem {
  /** Relative to `evals`. */
  readonly path: KeyPath;
  /** True when the problem is the key at the end of the path. */
  readonly isKey: boolean;
  readonly text: string;
}

export async function findEvalsConfigProblems(value: unknown): Promise<readonly EvalsConfigProblem[]> {
  const [{ evalsSchema, EVALS_RULES }, { findSchemaProblems }] = await Promise.all([
    import("./evals-schema.js"),
    import("./problems.js"),
  ]);
  return findSchemaProblems(evalsSchema, value, EVALS_RULES);
}

/**
 * Throws with all problems if the `evals` section of a config file is invalid.
 * @example
 * const evals = await checkEvalsConfig({ paths: ["evals"], suites: { fast: { tags: ["!slow"] } } });
 */
export async function checkEvalsConfig(value: unknown): Promise<EvalsConfig> {
  const problems = await findEvalsConfigProblems(value);
  if (problems.length > 0) throw new UsageError(problems.map(({ text }) => `evals: ${text}`).join("\n"));
  return value as EvalsConfig;
}

/** Adds the folder that the paths of the environments are relative to. */
export function resolveSharedEnvironments(
  { environments = {} }: EvalsConfig,
  dir: string,
): Record<string, SharedEnvironment> {
  return Object.fromEntries(Object.entries(environments).map(([name, environment]) => [name, { environment, dir }]));
}
