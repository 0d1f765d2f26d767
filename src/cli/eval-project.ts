import { dirname, resolve } from "node:path";
import { registry } from "../core/index.js";
import { resolveSharedEnvironments, type SharedEnvironment } from "../evals/index.js";
import { type JudgeModelPlace, registerJudgeGraders } from "../graders/index.js";
import { findConfig, isCodeFile, loadConfig } from "./config-file.js";
import { loadPlugins } from "./resolve.js";
import type { RunConfig } from "./run-config.js";
import { requireTrustedPlugins, type TrustFlags } from "./trust.js";

interface ProjectFlags extends TrustFlags {
  /** Config file. Default: that of the working folder. */
  readonly config?: string | undefined;
  readonly plugins?: readonly string[] | undefined;
  /** Where graders find their judge models. */
  readonly judges?: JudgeModelPlace;
  /** For commands that only inspect: no code is run unless trusted, not even that of the working folder. */
  readonly isLooking?: boolean;
}

/** What is needed to read the eval files of a project. */
export interface EvalProject {
  readonly config: RunConfig;
  readonly environments: Readonly<Record<string, SharedEnvironment>>;
  /** Code that was not run: the config file itself, or plugins. */
  readonly notRun: readonly string[];
}

/** Reads the project's config and registers its plugins and the graders that use models. */
export async function openEvalProject(flags: ProjectFlags): Promise<EvalProject> {
  const { config: named, plugins = [], judges = {}, trust = false, isLooking = false } = flags;
  const found = named ?? findConfig(process.cwd());
  const file = found === undefined ? null : resolve(found);
  const mayRun = trust || !isLooking;
  const notRun = !mayRun && file !== null && isCodeFile(file) ? [file] : [];
  // Code that is not run needs no trust.
  const config = file === null || notRun.length > 0 ? {} : await loadConfig(file, { trust: trust || isLooking });
  requireTrustedPlugins(mayRun ? plugins : [], flags);
  const all = [...new Set([...(config.plugins ?? []), ...plugins])];
  await loadPlugins(registry, mayRun ? all : []);
  registerJudgeGraders(judges);
  return {
    config,
    environments: resolveSharedEnvironments(config.evals ?? {}, file === null ? process.cwd() : dirname(file)),
    notRun: mayRun ? [] : [...notRun, ...all],
  };
}
