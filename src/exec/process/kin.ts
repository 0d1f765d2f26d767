import {
  hasProcessTable,
  isGroupRunning,
  listAncestors,
  listProcessIds,
  type ProcessEntry,
  readProcess,
} from "./process-table.js";
import { filterOwnFolders, hasMarker, listOutputs, type ProcessMarkers } from "./traces.js";

/** A program and all processes it started, directly or indirectly. */
export interface ProcessTree {
  /** The id of the program and of the process group it leads. */
  readonly root: number;
  /** Records the current descendants, because they cannot be found once their parents have ended. */
  recordDescendants(): void;
  /** Finds all running processes of the tree. `found` is called for each as soon as it is seen. */
  findRunning(found?: (entry: ProcessEntry) => void): ProcessEntry[];
}

export interface ProcessTreeOptions {
  readonly root: number;
  readonly marker: string;
  readonly folders: readonly string[];
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

/** Uses /proc to find all processes, including those that left the group. */
class ProcProcessTree implements ProcessTree {
  readonly root: number;
  readonly #markers: ProcessMarkers;
  readonly #since: number;
  readonly #spared = new Set(listAncestors(process.pid));
  /** Process id → start time of every process recognized so far. */
  readonly #known = new Map<number, number>();
  readonly #sessions: Set<number>;
  /** Ids of processes that are older than the program. */
  readonly #older = new Set<number>();

  constructor({ root, marker, folders }: ProcessTreeOptions) {
    this.root = root;
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

  /** Reads one process at a time so that its data is current. Processes older than the program do not belong to it. */
  *#listCandidates(pids: readonly number[]): Generator<ProcessEntry> {
    for (const pid of pids) {
      const entry = this.#spared.has(pid) ? null : readProcess(pid);
      if (entry === null) continue;
      if (entry.startedAt >= this.#since) yield entry;
      else this.#older.add(pid);
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
