import { dirname, resolve } from "node:path";
import { registry } from "../core/registry.js";
import { type JudgeModelPlace, registerJudgeGraders } from "../judge-graders.js";
import { type SharedEnvironment, sharedEnvironments } from "../specs/index.js";
import { findConfig, loadConfig } from "./config-file.js";
import { loadPlugins } from "./resolve.js";
import type { RunConfig } from "./run-config.js";

/** Where a project is described, and what is added to that. */
interface ProjectFlags {
  /** Its file; that of the working folder unless told. */
  readonly config?: string | undefined;
  readonly plugins?: readonly string[] | undefined;
  /** Where graders find the models that they ask. */
  readonly judges?: JudgeModelPlace;
}

/** What eval files of a project are read with. */
export interface EvalProject {
  readonly config: RunConfig;
  readonly environments: Readonly<Record<string, SharedEnvironment>>;
}

/** Reads the file of a project, and has its plugins and the graders that ask models registered. */
export async function openProject({ config: named, plugins = [], judges = {} }: ProjectFlags): Promise<EvalProject> {
  const found = named ?? findConfig(process.cwd());
  const file = found === undefined ? null : resolve(found);
  const config = file === null ? {} : await loadConfig(file);
  await loadPlugins(registry, [...new Set([...(config.plugins ?? []), ...plugins])]);
  registerJudgeGraders(judges);
  return {
    config,
    environments: sharedEnvironments(config.evals ?? {}, file === null ? process.cwd() : dirname(file)),
  };
}
