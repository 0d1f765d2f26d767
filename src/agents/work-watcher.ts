import type { TrialContext } from "../core/index.js";
import { type FolderWatch, takeSnapshot, type Workspace, watchFolder } from "../exec/index.js";
import { waitForAbort } from "./wait-for-abort.js";

/** Times by `performance.now()`; null for what never happened. */
export interface WorkTimes {
  readonly firstChangeAt: number | null;
  /** When the work first passed. */
  readonly successAt: number | null;
}

/**
 * Watches the folder while the agent works: when it first changed and, if the work can be graded in progress, when it first
 * passed. For that, a copy is graded whenever the folder has been quiet for a moment. One copy at a time; intermediate
 * states are skipped.
 */
export class WorkWatcher {
  readonly #workspace: Workspace;
  readonly #passes: TrialContext["passes"];
  readonly #watch: FolderWatch;
  readonly #cancelling = new AbortController();
  /** Time of the newest state not checked yet. */
  #pendingAt: number | null = null;
  #lastLookedAt: number | null = null;
  #checking: Promise<void> | null = null;
  #successAt: number | null = null;

  constructor(workspace: Workspace, passes: TrialContext["passes"]) {
    this.#workspace = workspace;
    this.#passes = passes;
    const { path } = workspace;
    this.#watch = watchFolder({
      path,
      exists: () => workspace.exists,
      onQuiet: (changedAt) => this.#checkChange(changedAt),
    });
  }

  /** Resolves when changes are seen: await it before starting the agent. */
  get ready(): Promise<void> {
    return this.#watch.ready;
  }

  /** Also checks the last state, for at most `withinMs`. */
  async stop(withinMs: number | null = null): Promise<WorkTimes> {
    const times = await this.#watch.close();
    if (times !== null && times.lastAt !== this.#lastLookedAt) this.#checkChange(times.lastAt);
    const timer = withinMs === null ? undefined : setTimeout(() => this.#cancelling.abort(), withinMs);
    await Promise.race([this.#checking, waitForAbort(this.#cancelling.signal).aborted]);
    clearTimeout(timer);
    return { firstChangeAt: times?.firstAt ?? null, successAt: this.#successAt };
  }

  async cancel(): Promise<void> {
    this.#cancelling.abort();
    await this.#watch.close();
    this.#pendingAt = null;
    await this.#checking;
  }

  #checkChange(changedAt: number): void {
    if (this.#successAt !== null || this.#passes === undefined || this.#cancelling.signal.aborted) return;
    this.#pendingAt = changedAt;
    this.#checking ??= this.#checkAll(this.#passes);
  }

  async #checkAll(passes: NonNullable<TrialContext["passes"]>): Promise<void> {
    while (this.#pendingAt !== null && this.#successAt === null) {
      const changedAt = this.#pendingAt;
      this.#pendingAt = null;
      this.#lastLookedAt = changedAt;
      if (await this.#passesNow(passes)) this.#successAt = changedAt;
    }
    this.#checking = null;
  }

  /** A state that cannot be copied or graded does not count as passed; the trial's own grading decides. */
  async #passesNow(passes: NonNullable<TrialContext["passes"]>): Promise<boolean> {
    try {
      const snapshot = await takeSnapshot(this.#workspace, this.#cancelling.signal);
      try {
        return await passes({ workspace: snapshot.state });
      } finally {
        await snapshot.remove();
      }
    } catch {
      return false;
    }
  }
}
