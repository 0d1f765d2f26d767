import { dirname } from "node:path";
import { loadConfig } from "./config-file.js";
import { enterFolder, type Invocation, mergeEvalSelection } from "./invocation.js";
import { dropQueueFlags } from "./queue-address.js";
import type { RunFlags } from "./run-flags.js";

/**
 * The complete description of a run, relative to its folder, which becomes the working folder. Later flags override those
 * the run was started with, which override the config file.
 */
export async function resolveRunFlags(invocation: Invocation, flags: RunFlags): Promise<RunFlags> {
  enterFolder(invocation);
  const { configFile } = invocation;
  // A resumed run was trusted when it was started.
  const trust = flags.resume !== undefined || flags.trust;
  const config = configFile === null ? {} : await loadConfig(configFile, { trust });
  const place = configFile === null ? {} : { configDir: dirname(configFile) };
  const own = { ...config, ...place, ...invocation.flags, ...flags, ...selectHeaders(invocation, flags) };
  const run = { ...own, ...mergeEvalSelection(invocation.flags, flags) };
  return run.withoutQueue === true && flags.queue === undefined ? dropQueueFlags(run) : run;
}

/** Secret headers must be given again on resume; the others are stored. */
function selectHeaders(invocation: Invocation, { resume, headers }: RunFlags): Pick<RunFlags, "headers"> {
  if (resume === undefined || headers === undefined) return {};
  return { headers: { ...invocation.flags.headers, ...headers } };
}
