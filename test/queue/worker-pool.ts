import { type FinishedCommand, type RunningCommand, startAssay } from "../../src/testing/run-assay.js";

/** Worker processes of one queue, which can be killed and replaced. */
export class WorkerPool {
  readonly #members: RunningCommand[] = [];
  readonly #start: () => RunningCommand;

  constructor(cwd: string, args: readonly string[]) {
    this.#start = () => startAssay(cwd, ["worker", ...args]);
  }

  add(count: number): this {
    for (let i = 0; i < count; i++) this.#members.push(this.#start());
    return this;
  }

  /** Kills one with SIGKILL and starts another. */
  async replace(place: number): Promise<void> {
    const [lost] = this.#members.splice(place, 1, this.#start());
    lost?.child.kill("SIGKILL");
    await lost?.finished;
  }

  /** Lets all of them finish their trials, and waits until they exit. */
  async drain(): Promise<FinishedCommand[]> {
    for (const { child } of this.#members) child.kill("SIGTERM");
    return Promise.all(this.#members.splice(0).map(({ finished }) => finished));
  }
}
