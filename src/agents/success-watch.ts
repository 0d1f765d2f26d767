import type { TrialContext } from "../core/system.js";
import { type FolderWatch, snapshotOf, type Workspace, watchFolder } from "../workspace/index.js";

type Passes = NonNullable<TrialContext["passes"]>;

/**
 * Finds the moment at which the work first passes, while the agent goes on: whenever the folder has been quiet for a
 * moment, a copy of it is graded. One copy at a time; states that were left behind meanwhile are not looked at.
 */
export class SuccessWatch {
  readonly #workspace: Workspace;
  readonly #passes: Passes;
  readonly #watch: FolderWatch;
  /** Of the newest state that was not looked at yet. */
  #pendingAt: number | null = null;
  #lastLookedAt: number | null = null;
  #checking: Promise<void> | null = null;
  #successAt: number | null = null;

  constructor(workspace: Workspace, passes: Passes) {
    this.#workspace = workspace;
    this.#passes = passes;
    this.#watch = watchFolder({ path: workspace.path, onQuiet: (changedAt) => this.#look(changedAt) });
  }

  /** Looks at the last state too, and says when the work first passed, by `performance.now()`; null when it never did. */
  async end(): Promise<number | null> {
    const lastChange = await this.#watch.close();
    if (lastChange !== null && lastChange !== this.#lastLookedAt) this.#look(lastChange);
    await this.#checking;
    return this.#successAt;
  }

  /** Nobody wants to know any more. */
  async cancel(): Promise<void> {
    await this.#watch.close();
    this.#pendingAt = null;
    await this.#checking;
  }

  #look(changedAt: number): void {
    if (this.#successAt !== null) return;
    this.#pendingAt = changedAt;
    this.#checking ??= this.#checkAll();
  }

  async #checkAll(): Promise<void> {
    while (this.#pendingAt !== null && this.#successAt === null) {
      const changedAt = this.#pendingAt;
      this.#pendingAt = null;
      this.#lastLookedAt = changedAt;
      if (await this.#isRight()) this.#successAt = changedAt;
    }
    this.#checking = null;
  }

  /** A state that cannot be copied or graded is not a success; the last word has the grading of the trial itself. */
  async #isRight(): Promise<boolean> {
    try {
      const snapshot = await snapshotOf(this.#workspace);
      try {
        return await this.#passes({ workspace: snapshot.state });
      } finally {
        await snapshot.remove();
      }
    } catch {
      return false;
    }
  }
}
