import { setTimeout as wait } from "node:timers/promises";
import type { ProcessTree } from "./kin.js";

/** The result of stopping processes. */
export interface StopReport {
  /** Number of processes running when asked to stop. On systems other than Linux, 1 for the whole group. */
  readonly running: number;
  readonly killed: number;
  /** Process ids of those still running. */
  readonly left: readonly number[];
}

export const NOTHING_RAN: StopReport = { running: 0, killed: 0, left: [] };

/** There is no notification when a process ends that is not a child, so poll for it. */
const MIN_POLL_MS = 5;
const MAX_POLL_MS = 80;

/** A process that is just starting a child can be missed by one scan, but not by several. */
const REQUIRED_CLEAN_SCANS = 3;

/** The kernel may take a while to remove killed processes. */
const KILL_TIMEOUT_MS = 2000;

/** Asks all processes of a tree to terminate, kills those that do not within the grace period, and checks whether any are left. */
export async function stopProcessTree(tree: ProcessTree, graceMs: number): Promise<StopReport> {
  const running = requestTermination(tree);
  if (running === 0 && isTreeGone(tree, REQUIRED_CLEAN_SCANS - 1)) return NOTHING_RAN;
  if (await waitUntilGone(tree, graceMs)) return { running, killed: 0, left: [] };
  const { killed, left } = await killUntilGone(tree);
  return { running: Math.max(running, killed), killed, left };
}

/**
 * Finds all processes before signaling the first, because afterwards parents are no longer known. They are paused
 * meanwhile so that they do no more work.
 */
function requestTermination(tree: ProcessTree): number {
  sendSignal(-tree.root, "SIGSTOP");
  const running = tree.findRunning();
  if (running.length === 0) return 0;
  sendSignal(-tree.root, "SIGTERM");
  sendSignal(-tree.root, "SIGCONT");
  // Some programs take a second SIGTERM as "exit immediately".
  for (const { pid, group } of running) if (group !== tree.root) sendSignal(pid, "SIGTERM");
  return running.length;
}

async function waitUntilGone(tree: ProcessTree, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  for (let pause = MIN_POLL_MS; !isTreeGone(tree); pause = Math.min(2 * pause, MAX_POLL_MS)) {
    const rest = end - performance.now();
    if (rest <= 0) return false;
    await wait(Math.min(pause, rest));
  }
  return true;
}

function isTreeGone(tree: ProcessTree, times = REQUIRED_CLEAN_SCANS): boolean {
  for (let scans = 0; scans < times; scans += 1) if (tree.findRunning().length > 0) return false;
  return true;
}

/** Repeats, because processes being killed may still start others. */
async function killUntilGone(tree: ProcessTree): Promise<Pick<StopReport, "killed" | "left">> {
  const killed = new Set<number>();
  const end = performance.now() + KILL_TIMEOUT_MS;
  let left: number[] = [];
  for (let clean = 0; clean < REQUIRED_CLEAN_SCANS && performance.now() < end; ) {
    left = killOnce(tree, killed);
    clean = left.length === 0 ? clean + 1 : 0;
    if (left.length > 0) await wait(MIN_POLL_MS);
  }
  return { killed: killed.size, left };
}

function killOnce(tree: ProcessTree, killed: Set<number>): number[] {
  const kill = ({ pid }: { pid: number }) => {
    sendSignal(pid, "SIGKILL");
    killed.add(pid);
  };
  const found = tree.findRunning(kill);
  // Signals the group after the scan, which needs the parents, so that none of its processes can start another.
  sendSignal(-tree.root, "SIGKILL");
  return found.map(({ pid }) => pid);
}

/** Sends a signal to a process, or to a group when the id is negative. */
export function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended or belongs to another user; the next scan shows which.
  }
}
