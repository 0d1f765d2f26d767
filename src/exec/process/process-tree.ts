import { setTimeout as wait } from "node:timers/promises";
import { filterOwnFolders, hasMarker, listOutputs, type ProcessMarkers } from "./process-marker.js";
import {
  hasProcessTable,
  isGroupRunning,
  listAncestors,
  listProcessIds,
  type ProcessEntry,
  readProcess,
} from "./process-table.js";

/** A program and all processes it started, directly or indirectly. */
export interface ProcessTree {
  /** The id of the program and of the process group it leads. */
  readonly root: number;
  /** True if the root keeps the others in a box: it ends with them, and they with it. */
  readonly isBox: boolean;
  /** Records the current descendants, because they cannot be found once their parents have ended. */
  recordDescendants(): void;
  /** Finds all running processes of the tree. `found` is called for each as soon as it is seen. */
  findRunning(found?: (entry: ProcessEntry) => void): ProcessEntry[];
}

interface ProcessTreeOptions {
  readonly root: number;
  readonly marker: string;
  readonly folders: readonly string[];
  readonly isBox?: boolean;
}

/** Tracks the processes of a program that was just started as a session leader. */
export function trackProcessTree(options: ProcessTreeOptions): ProcessTree {
  return hasProcessTable() ? new ProcProcessTree(options) : new GroupProcessTree(options.root);
}

interface ScanOptions {
  /** Recognizes a process of the tree that is not known yet. */
  readonly isOurs: (entry: ProcessEntry) => boolean;
  readonly found?: ((entry: ProcessEntry) => void) | undefined;
}

/** Other programs may start processes all the time, so a scan does not go on until there is no new one. */
const MAX_LISTS = 20;

/** Uses /proc to find all processes, including those that left the group. */
class ProcProcessTree implements ProcessTree {
  readonly root: number;
  readonly isBox: boolean;
  readonly #markers: ProcessMarkers;
  readonly #since: number;
  readonly #spared = new Set(listAncestors(process.pid));
  /** Process id → start time of every process recognized so far. */
  readonly #known = new Map<number, number>();
  readonly #sessions: Set<number>;
  /** Ids of processes that are older than the program. */
  readonly #older = new Set<number>();

  constructor({ root, marker, folders, isBox = false }: ProcessTreeOptions) {
    this.root = root;
    this.isBox = isBox;
    // Outputs that this process shares, such as its terminal, identify nothing.
    const ours = new Set(listOutputs(process.pid));
    const outputs = new Set(listOutputs(root).filter((output) => !ours.has(output)));
    this.#markers = { marker, folders: filterOwnFolders(folders), outputs };
    this.#since = (readProcess(root) ?? readProcess(process.pid))?.startedAt ?? 0;
    this.#sessions = new Set([root]);
  }

  recordDescendants(): void {
    // Runs every second, so it must be cheap: older processes are not read again.
    this.#scan(
      listProcessIds().filter((pid) => !this.#older.has(pid)),
      { isOurs: () => false },
    );
  }

  findRunning(found?: (entry: ProcessEntry) => void): ProcessEntry[] {
    return this.#scan(listProcessIds(), { isOurs: ({ pid }) => hasMarker(pid, this.#markers), found });
  }

  #scan(pids: readonly number[], { isOurs: bears, found }: ScanOptions): ProcessEntry[] {
    const ours: ProcessEntry[] = [];
    const take = (entry: ProcessEntry) => {
      this.#remember(entry);
      ours.push(entry);
      found?.(entry);
    };
    const others: ProcessEntry[] = [];
    for (const entry of this.#listCandidates(pids)) {
      if (this.#isKnown(entry) || bears(entry)) take(entry);
      else others.push(entry);
    }
    this.#addDescendants(ours, others, take);
    return ours;
  }

  /**
   * Reads one process at a time so that its data is current, then those that were started meanwhile: a program that keeps
   * starting itself again is never in the first list. Processes older than the program do not belong to it.
   */
  *#listCandidates(pids: readonly number[]): Generator<ProcessEntry> {
    const seen = new Set(pids);
    let next = pids;
    for (let list = 0; list < MAX_LISTS && next.length > 0; list += 1) {
      for (const pid of next) {
        const entry = this.#spared.has(pid) ? null : readProcess(pid);
        if (entry === null) continue;
        if (entry.startedAt >= this.#since) yield entry;
        else this.#older.add(pid);
      }
      next = listProcessIds().filter((pid) => !seen.has(pid) && !this.#older.has(pid));
      for (const pid of next) seen.add(pid);
    }
  }

  #isKnown({ pid, group, session, startedAt }: ProcessEntry): boolean {
    return group === this.root || this.#sessions.has(session) || this.#known.get(pid) === startedAt;
  }

  /** All processes of a session led by one of ours are ours. */
  #remember({ pid, session, startedAt }: ProcessEntry): void {
    this.#known.set(pid, startedAt);
    if (session === pid) this.#sessions.add(session);
  }

  #addDescendants(ours: readonly ProcessEntry[], others: ProcessEntry[], take: (entry: ProcessEntry) => void): void {
    const parents = new Set(ours.map(({ pid }) => pid));
    let left = others;
    for (let before = -1; before !== parents.size; ) {
      before = parents.size;
      left = left.filter((entry) => {
        if (!parents.has(entry.parent) && !this.#sessions.has(entry.session)) return true;
        parents.add(entry.pid);
        take(entry);
        return false;
      });
    }
  }
}

/** Other systems only show the process group: processes that leave it are not found. */
class GroupProcessTree implements ProcessTree {
  readonly root: number;
  readonly isBox = false;

  constructor(root: number) {
    this.root = root;
  }

  recordDescendants(): void {}

  findRunning(found?: (entry: ProcessEntry) => void): ProcessEntry[] {
    if (!isGroupRunning(this.root)) return [];
    const entry = { pid: this.root, parent: 0, group: this.root, session: this.root, startedAt: 0 };
    found?.(entry);
    return [entry];
  }
}

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
  // Without its box, a program would have no time to end.
  if (!tree.isBox) sendSignal(-tree.root, "SIGTERM");
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
