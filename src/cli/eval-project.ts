import { dirname, resolve } from "node:path";
import { registry } from "../core/registry.js";
import { type SharedEnvironment, sharedEnvironments } from "../evals/spec/index.js";
import { type JudgeModelPlace, registerJudgeGraders } from "../graders/judge/register-judge-graders.js";
import { findConfig, isCode, loadConfig } from "./config-file.js";
import { loadPlugins } from "./resolve.js";
import type { RunConfig } from "./run-config.js";
import { requireTrustedPlugins, type TrustFlags } from "./trust.js";

/** Where a project is described, and what is added to that. */
interface ProjectFlags extends TrustFlags {
  /** Its file; that of the working folder unless told. */
  readonly config?: string | undefined;
  readonly plugins?: readonly string[] | undefined;
  /** Where graders find the models that they ask. */
  readonly judges?: JudgeModelPlace;
  /** For a command that only looks: no code is run unless it is trusted, be it that of the working folder. */
  readonly isLooking?: boolean;
}

/** What eval files of a project are read with. */
export interface EvalProject {
  readonly config: RunConfig;
  readonly environments: Readonly<Record<string, SharedEnvironment>>;
  /** The code that was not run: the config file itself, or plugins. */
  readonly notRun: readonly string[];
}

/** Reads the file of a project, and has its plugins and the graders that ask models registered. */
export async function openProject(flags: ProjectFlags): Promise<EvalProject> {
  const { config: named, plugins = [], judges = {}, trust = false, isLooking = false } = flags;
  const found = named ?? findConfig(process.cwd());
  const file = found === undefined ? null : resolve(found);
  const mayRun = trust || !isLooking;
  const notRun = !mayRun && file !== null && isCode(file) ? [file] : [];
  // What is not run needs no trust.
  const config = file === null || notRun.length > 0 ? {} : await loadConfig(file, { trust: trust || isLooking });
  requireTrustedPlugins(mayRun ? plugins : [], flags);
  const all = [...new Set([...(config.plugins ?? []), ...plugins])];
  await loadPlugins(registry, mayRun ? all : []);
  registerJudgeGraders(judges);
  return {
    config,
    environments: sharedEnvironments(config.evals ?? {}, file === null ? process.cwd() : dirname(file)),
    notRun: mayRun ? [] : [...notRun, ...all],
  };
}
