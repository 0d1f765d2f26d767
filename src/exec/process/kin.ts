import {
  hasProcessTable,
  isGroupRunning,
  lineOf,
  type ProcessEntry,
  processIds,
  readProcess,
} from "./process-table.js";
import { bearsTrace, outputsOf, ownFolders, type Traces } from "./traces.js";

/** A program and all processes it started, directly or indirectly. */
export interface Kin {
  /** The id of the program and of the process group it leads. */
  readonly root: number;
  /** Records the current descendants, because they cannot be found once their parents have ended. */
  note(): void;
  /** Finds all running processes of the tree. `found` is called for each as soon as it is seen. */
  look(found?: (entry: ProcessEntry) => void): ProcessEntry[];
}

export interface KinOptions {
  readonly root: number;
  readonly mark: string;
  readonly folders: readonly string[];
}

/** Tracks the processes of a program that was just started as a session leader. */
export function kinOf(options: KinOptions): Kin {
  return hasProcessTable() ? new VisibleKin(options) : new GroupKin(options.root);
}

interface Survey {
  /** Recognizes a process of the tree that is not known yet. */
  readonly bears: (entry: ProcessEntry) => boolean;
  readonly found?: ((entry: ProcessEntry) => void) | undefined;
}

/** Uses /proc to find all processes, including those that left the group. */
class VisibleKin implements Kin {
  readonly root: number;
  readonly #traces: Traces;
  readonly #since: number;
  readonly #spared = new Set(lineOf(process.pid));
  /** Process id → start time of every process recognized so far. */
  readonly #known = new Map<number, number>();
  readonly #sessions: Set<number>;
  /** Ids of processes that are older than the program. */
  readonly #older = new Set<number>();

  constructor({ root, mark, folders }: KinOptions) {
    this.root = root;
    // Outputs that this process shares, such as its terminal, identify nothing.
    const ours = new Set(outputsOf(process.pid));
    const outputs = new Set(outputsOf(root).filter((output) => !ours.has(output)));
    this.#traces = { mark, folders: ownFolders(folders), outputs };
    this.#since = (readProcess(root) ?? readProcess(process.pid))?.startedAt ?? 0;
    this.#sessions = new Set([root]);
  }

  note(): void {
    // Runs every second, so it must be cheap: older processes are not read again.
    this.#survey(
      processIds().filter((pid) => !this.#older.has(pid)),
      { bears: () => false },
    );
  }

  look(found?: (entry: ProcessEntry) => void): ProcessEntry[] {
    return this.#survey(processIds(), { bears: ({ pid }) => bearsTrace(pid, this.#traces), found });
  }

  #survey(pids: readonly number[], { bears, found }: Survey): ProcessEntry[] {
    const ours: ProcessEntry[] = [];
    const take = (entry: ProcessEntry) => {
      this.#remember(entry);
      ours.push(entry);
      found?.(entry);
    };
    const others: ProcessEntry[] = [];
    for (const entry of this.#candidates(pids)) {
      if (this.#isKnown(entry) || bears(entry)) take(entry);
      else others.push(entry);
    }
    this.#takeDescendants(ours, others, take);
    return ours;
  }

  /** Reads one process at a time so that its data is current. Processes older than the program do not belong to it. */
  *#candidates(pids: readonly number[]): Generator<ProcessEntry> {
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

  #takeDescendants(ours: readonly ProcessEntry[], others: ProcessEntry[], take: (entry: ProcessEntry) => void): void {
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
class GroupKin implements Kin {
  readonly root: number;

  constructor(root: number) {
    this.root = root;
  }

  note(): void {}

  look(found?: (entry: ProcessEntry) => void): ProcessEntry[] {
    if (!isGroupRunning(this.root)) return [];
    const entry = { pid: this.root, parent: 0, group: this.root, session: this.root, startedAt: 0 };
    found?.(entry);
    return [entry];
  }
}
