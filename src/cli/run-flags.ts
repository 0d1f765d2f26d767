import type { EvalChoice } from "./eval-choice.js";
import type { RunConfig } from "./run-config.js";
import type { TrustFlags } from "./trust.js";

/** What the flags of `assay run` parse to: the parts of a run they override, and how to go about it. */
export interface RunFlags extends RunConfig, TrustFlags {
  /** Headers that a stored run was started with and that are not kept. */
  secretHeaders?: readonly string[];
  /** What `assay eval` chooses and writes. */
  eval?: EvalChoice;
  config?: string;
  /** The folder of the config file, which what it names is relative to. */
  configDir?: string;
  /** Runs all trials here, whatever a config file or the run that goes on says of a queue. */
  withoutQueue?: boolean;
  /** True for the latest unfinished run. */
  resume?: string | true;
  dryRun?: boolean;
  quiet?: boolean;
  verbose?: boolean;
}
