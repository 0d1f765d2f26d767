import {
  hasProcessTable,
  isGroupRunning,
  lineOf,
  type ProcessEntry,
  processIds,
  readProcess,
} from "./process-table.js";
import { bearsTrace, outputsOf, ownFolders, type Traces } from "./traces.js";

/** A program and the processes that come from it. */
export interface Kin {
  /** The number of the program, and of the group that it leads. */
  readonly root: number;
  /** Remembers who descends from it now: once the parents are gone, nobody can tell. */
  note(): void;
  /** Those that run now. `found` is told of each as soon as it is seen. */
  look(found?: (entry: ProcessEntry) => void): ProcessEntry[];
}

/** By what the processes of a program are known. */
export interface KinOptions {
  readonly root: number;
  readonly mark: string;
  readonly folders: readonly string[];
}

/** The kin of a program that has just started as the leader of a session. */
export function kinOf(options: KinOptions): Kin {
  return hasProcessTable() ? new VisibleKin(options) : new GroupKin(options.root);
}

interface Survey {
  /** Whether a process that is not yet known for one of them is. */
  readonly bears: (entry: ProcessEntry) => boolean;
  readonly found?: ((entry: ProcessEntry) => void) | undefined;
}

/** Where the system shows its processes: all of them, also those that have left the group. */
class VisibleKin implements Kin {
  readonly root: number;
  readonly #traces: Traces;
  readonly #since: number;
  readonly #spared = new Set(lineOf(process.pid));
  /** Number → start of each process that was known for one of them. */
  readonly #known = new Map<number, number>();
  readonly #sessions: Set<number>;
  /** Numbers of processes that were there before the program. */
  readonly #older = new Set<number>();

  constructor({ root, mark, folders }: KinOptions) {
    this.root = root;
    // What is printed elsewhere, such as to our own terminal, says nothing.
    const ours = new Set(outputsOf(process.pid));
    const outputs = new Set(outputsOf(root).filter((output) => !ours.has(output)));
    this.#traces = { mark, folders: ownFolders(folders), outputs };
    this.#since = (readProcess(root) ?? readProcess(process.pid))?.startedAt ?? 0;
    this.#sessions = new Set([root]);
  }

  note(): void {
    // Every second while the program runs, so that it has to be cheap: what was old once is not read again.
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

  /** One by one, so that each is still fresh when it is judged. What was there before the program is none of it. */
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

  /** A session that one of them leads has only their like in it. */
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

/** On other systems only the group can be seen, as a whole: what leaves it is not found. */
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
