import type { EvalSelection } from "./eval-choice.js";
import type { RunConfig } from "./run-config.js";
import type { TrustFlags } from "./trust.js";

/** Flags of `assay run`: settings that override the config, and how to run. */
export interface RunFlags extends RunConfig, TrustFlags {
  /** Headers that the stored run was started with and that are not stored. */
  secretHeaders?: readonly string[];
  eval?: EvalSelection;
  config?: string;
  /** The folder of the config file; its paths are relative to it. */
  configDir?: string;
  /** Runs all trials here, even if the config file or the resumed run has a queue. */
  withoutQueue?: boolean;
  /** True for the latest unfinished run. */
  resume?: string | true;
  dryRun?: boolean;
  quiet?: boolean;
  verbose?: boolean;
}
