import { setTimeout as wait } from "node:timers/promises";
import type { Kin } from "./kin.js";

/** What there was to end, and how that went. */
export interface StopReport {
  /** How many processes ran when they were told to end. On systems other than Linux, 1 for all of the group. */
  readonly running: number;
  /** How many had to be killed. */
  readonly killed: number;
  /** The numbers of those that run in spite of it. */
  readonly left: readonly number[];
}

/** The report when nothing ran. */
export const NOTHING_RAN: StopReport = { running: 0, killed: 0, left: [] };

/** Nobody is told when a process that is not one's child ends: it has to be looked for. */
const FIRST_LOOK_MS = 5;
const LONGEST_LOOK_MS = 80;

/** A process that is just handing over to a child can slip through one look, not through several. */
const CLEAN_LOOKS = 3;

/** The kernel may take a while to clear away what was killed. */
const KILL_MS = 2000;

/** Asks all of them to end, kills those that do not within the grace, and looks whether any is left. */
export async function endAll(kin: Kin, graceMs: number): Promise<StopReport> {
  const running = askToEnd(kin);
  if (running === 0 && isGone(kin, CLEAN_LOOKS - 1)) return NOTHING_RAN;
  if (await isGoneWithin(kin, graceMs)) return { running, killed: 0, left: [] };
  const { killed, left } = await killAll(kin);
  return { running: Math.max(running, killed), killed, left };
}

/**
 * They are all found before the first is told: afterwards nobody knows who came from whom. Held meanwhile, so that nothing
 * is done after it was to be stopped.
 */
function askToEnd(kin: Kin): number {
  tell(-kin.root, "SIGSTOP");
  const running = kin.look();
  if (running.length === 0) return 0;
  tell(-kin.root, "SIGTERM");
  tell(-kin.root, "SIGCONT");
  // To be told twice means "at once" to some programs.
  for (const { pid, group } of running) if (group !== kin.root) tell(pid, "SIGTERM");
  return running.length;
}

async function isGoneWithin(kin: Kin, ms: number): Promise<boolean> {
  const end = performance.now() + ms;
  for (let pause = FIRST_LOOK_MS; !isGone(kin); pause = Math.min(2 * pause, LONGEST_LOOK_MS)) {
    const rest = end - performance.now();
    if (rest <= 0) return false;
    await wait(Math.min(pause, rest));
  }
  return true;
}

function isGone(kin: Kin, times = CLEAN_LOOKS): boolean {
  for (let looks = 0; looks < times; looks += 1) if (kin.look().length > 0) return false;
  return true;
}

/** Again and again, as what is being killed may still be starting others. */
async function killAll(kin: Kin): Promise<Pick<StopReport, "killed" | "left">> {
  const killed = new Set<number>();
  const end = performance.now() + KILL_MS;
  let left: number[] = [];
  for (let clean = 0; clean < CLEAN_LOOKS && performance.now() < end; ) {
    left = killOnce(kin, killed);
    clean = left.length === 0 ? clean + 1 : 0;
    if (left.length > 0) await wait(FIRST_LOOK_MS);
  }
  return { killed: killed.size, left };
}

function killOnce(kin: Kin, killed: Set<number>): number[] {
  const kill = ({ pid }: { pid: number }) => {
    tell(pid, "SIGKILL");
    killed.add(pid);
  };
  const found = kin.look(kill);
  // Afterwards, so that the look still saw who came from whom; as a group, so that none can start another meanwhile.
  tell(-kin.root, "SIGKILL");
  return found.map(({ pid }) => pid);
}

/** Sends a signal to a process, or to a group when the number is negative. */
export function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It is gone, or not ours to end: the next look tells which.
  }
}
