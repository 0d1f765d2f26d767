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

function openTraffic({ record, replayTraffic: dir = "", onMiss, replayUntil }: RunFlags): Traffic {
  if (record !== undefined) {
    const traffic = recordTraffic({ dir: record });
    printNote(`Model calls are recorded in ${record}. Keys are removed; prompts and answers are not.`);
    return traffic;
  }
  const turns = replayUntil === undefined ? undefined : parseTurns(replayUntil);
  const traffic = replayTraffic({ dir, ...omitUndefined({ onMiss: turns === undefined ? onMiss : "live", turns }) });
  const unknown = traffic.isOffline ? "nothing is sent or paid" : "calls without a recorded answer go to the model";
  printNote(`Model calls are answered from ${dir}: ${unknown}. Times are not those of the models.`);
  return traffic;
}

function isOffline({ replayTraffic: replayed, onMiss, replayUntil }: RunFlags): boolean {
  return replayed !== undefined && onMiss !== "live" && replayUntil === undefined;
}

/** `turn:7`. */
function parseTurns(text: string): number {
  const turns = Number(/^turn:(\d+)$/.exec(text)?.[1] ?? 0);
  if (turns > 0) return turns;
  throw new UsageError(`--replay-until ${text} is not a turn. Write it as turn:7, for the first seven model calls.`);
}

/** Only an agent goes on after a call, so only its trials can be continued with another model. */
function requireFork({
  replayTraffic: replayed,
  replayUntil,
  thenModel,
  onMiss,
  agents = [],
  eval: evals,
  strictModel,
}: RunFlags): void {
  if (replayUntil === undefined && thenModel !== undefined)
    throw new UsageError("--then needs --replay-until. Add it, such as --replay-until turn:7, or remove --then.");
  if (replayUntil === undefined) return;
  if (replayed === undefined)
    throw new UsageError("--replay-until needs --replay-traffic. Add it, or remove --replay-until.");
  parseTurns(replayUntil);
  if (onMiss !== undefined && onMiss !== "live")
    throw new UsageError(
      `--on-miss ${onMiss} cannot be combined with --replay-until, whose later calls are live. Remove one of them.`,
    );
  if (agents.length === 0 && evals === undefined)
    throw new UsageError(
      "--replay-until continues the trials of agents, but no agent is given. Add --agent, or remove it.",
    );
  if (strictModel === true && thenModel !== undefined)
    throw new UsageError(
      "--then calls another model on purpose, which --strict-model makes an error. Remove one of them.",
    );
}

function requireOneUse(config: RunFlags): void {
  const { record, replayTraffic: replayed, onMiss, batch, queue } = config;
  if (record !== undefined && replayed !== undefined)
    throw new UsageError(
      "--record cannot be combined with --replay-traffic: a replayed call is already recorded. Remove one of them.",
    );
  if (onMiss !== undefined && replayed === undefined)
    throw new UsageError("--on-miss needs --replay-traffic. Add it, or remove --on-miss.");
  requireFork(config);
  const flag = record === undefined ? "--replay-traffic" : "--record";
  if (batch === true)
    throw new UsageError(`${flag} cannot be combined with --batch, whose answers come in files. Remove one of them.`);
  if (queue !== undefined)
    throw new UsageError(
      `${flag} works only on this machine, but queue workers run on others. Remove it, or add --no-queue.`,
    );
}
