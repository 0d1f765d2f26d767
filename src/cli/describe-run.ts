import { dirname } from "node:path";
import { loadConfig } from "./config-file.js";
import { enterFolder, evalOf, type Invocation } from "./invocation.js";
import { withoutQueue } from "./queue-address.js";
import type { RunFlags } from "./run-flags.js";

/**
 * The whole description of a run, seen from its folder, which this process goes to: later flags win over those the run
 * was started with, and those over the config file.
 */
export async function describeRun(invocation: Invocation, flags: RunFlags): Promise<RunFlags> {
  enterFolder(invocation);
  const { configFile } = invocation;
  // A run that goes on was trusted with all that it names.
  const trust = flags.resume !== undefined || flags.trust;
  const config = configFile === null ? {} : await loadConfig(configFile, { trust });
  const place = configFile === null ? {} : { configDir: dirname(configFile) };
  const own = { ...config, ...place, ...invocation.flags, ...flags, ...headersOf(invocation, flags) };
  const run = { ...own, ...evalOf(invocation.flags, flags) };
  return run.withoutQueue === true && flags.queue === undefined ? withoutQueue(run) : run;
}

/** Headers that hold a key are given again on resume; the others are still there. */
function headersOf(invocation: Invocation, { resume, headers }: RunFlags): Pick<RunFlags, "headers"> {
  if (resume === undefined || headers === undefined) return {};
  return { headers: { ...invocation.flags.headers, ...headers } };
}
