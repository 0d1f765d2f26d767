import { omitUndefined, UsageError } from "../core/index.js";
import { registerJudgeGraders } from "../graders/index.js";
import { recordTraffic, replayTraffic, type Traffic } from "../models/index.js";
import type { RunFlags } from "./run-flags.js";
import { printNote } from "./streams.js";

/**
 * Checks the flags of a recording, and removes what does not apply to it: outputs of the cache make no calls, and nothing is
 * paid in a replay.
 */
export function settleTraffic(config: RunFlags): RunFlags {
  requireOneUse(config);
  const { cacheDir, maxCost, ...rest } = config;
  const flag = config.record === undefined ? "--replay-traffic" : "--record";
  if (cacheDir !== undefined) printNote(`The cache is not used with ${flag}: a cached output makes no calls.`);
  if (!isOffline(config)) return omitUndefined({ ...rest, maxCost });
  if (maxCost !== undefined) printNote("The budget of the run is not applied: a replay pays nothing.");
  return rest;
}

/** Records or replays all model calls while `use` runs. */
export async function withRunTraffic<T>(config: RunFlags, use: (config: RunFlags) => Promise<T>): Promise<T> {
  if (config.dryRun === true) return use(config);
  const traffic = openTraffic(config);
  registerJudgeGraders(omitUndefined({ modelsFile: config.modelsFile, traffic }));
  try {
    const result = await use({ ...config, traffic });
    await traffic.close();
    return result;
  } catch (error) {
    await traffic.close().catch(() => {});
    throw error;
  }
}

function openTraffic({ record, replayTraffic: dir = "", onMiss }: RunFlags): Traffic {
  if (record !== undefined) {
    const traffic = recordTraffic({ dir: record });
    printNote(`Model calls are recorded in ${record}. Keys are removed; prompts and answers are not.`);
    return traffic;
  }
  const traffic = replayTraffic({ dir, ...omitUndefined({ onMiss }) });
  const unknown = onMiss === "live" ? "calls without a recorded answer go to the model" : "nothing is sent or paid";
  printNote(`Model calls are answered from ${dir}: ${unknown}. Times are not those of the models.`);
  return traffic;
}

function isOffline({ replayTraffic: replayed, onMiss }: RunFlags): boolean {
  return replayed !== undefined && onMiss !== "live";
}

function requireOneUse({ record, replayTraffic: replayed, onMiss, batch, queue }: RunFlags): void {
  if (record !== undefined && replayed !== undefined)
    throw new UsageError(
      "--record cannot be combined with --replay-traffic: a replayed call is already recorded. Remove one of them.",
    );
  if (onMiss !== undefined && replayed === undefined)
    throw new UsageError("--on-miss needs --replay-traffic. Add it, or remove --on-miss.");
  const flag = record === undefined ? "--replay-traffic" : "--record";
  if (batch === true)
    throw new UsageError(`${flag} cannot be combined with --batch, whose answers come in files. Remove one of them.`);
  if (queue !== undefined)
    throw new UsageError(
      `${flag} works only on this machine, but queue workers run on others. Remove it, or add --no-queue.`,
    );
}
