import { availableParallelism, totalmem } from "node:os";
import { type ResourceLimits, SandboxError } from "../../core/index.js";

/** What a container gets even if others want it too. */
export type Guarantee = Partial<Pick<ResourceLimits, "cpus" | "memoryGib">>;

interface Waiting {
  readonly wanted: Required<Guarantee>;
  readonly start: () => void;
}

/**
 * Hands out what containers are guaranteed, so that together they never have more than there is: the next one waits until
 * others have ended.
 * @example
 * const giveBack = await new Capacity({ cpus: 8, memoryGib: 16 }).take({ cpus: 2 });
 * giveBack();
 */
export class Capacity {
  readonly #all: Required<Guarantee>;
  #free: Required<Guarantee>;
  readonly #waiting: Waiting[] = [];

  constructor(all: Required<Guarantee>) {
    this.#all = all;
    this.#free = all;
  }

  /** Waits until there is as much. Returns what gives it back; throws if there never is. */
  async take({ cpus = 0, memoryGib = 0 }: Guarantee, signal?: AbortSignal): Promise<() => void> {
    const wanted = { cpus, memoryGib };
    if (!isWithinCapacity(wanted, this.#all))
      throw new SandboxError(
        `The example is guaranteed ${cpus} cores and ${memoryGib} GiB, but this machine has ${this.#all.cpus} cores and ${this.#all.memoryGib.toFixed(1)} GiB. Lower \`guaranteed\` of its \`environment\`.`,
      );
    if (cpus + memoryGib > 0) await this.#wait(wanted, signal);
    let isHeld = true;
    return () => {
      if (isHeld) this.#change(wanted, 1);
      isHeld = false;
    };
  }

  /** First come, first served: a large one is not passed by small ones for ever. */
  #wait(wanted: Required<Guarantee>, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        const index = this.#waiting.indexOf(one);
        if (index !== -1) this.#waiting.splice(index, 1);
        reject(signal?.reason as Error);
        this.#startWaiting();
      };
      const one: Waiting = {
        wanted,
        start: () => {
          signal?.removeEventListener("abort", abort);
          resolve();
        },
      };
      if (signal?.aborted === true) return abort();
      signal?.addEventListener("abort", abort);
      this.#waiting.push(one);
      this.#startWaiting();
    });
  }

  #change({ cpus, memoryGib }: Required<Guarantee>, sign: 1 | -1): void {
    this.#free = { cpus: this.#free.cpus + sign * cpus, memoryGib: this.#free.memoryGib + sign * memoryGib };
    if (sign === 1) this.#startWaiting();
  }

  #startWaiting(): void {
    for (
      let [next] = this.#waiting;
      next !== undefined && isWithinCapacity(next.wanted, this.#free);
      [next] = this.#waiting
    ) {
      this.#waiting.shift();
      this.#change(next.wanted, -1);
      next.start();
    }
  }
}

/** Sums of parts of a core are not exact. */
const TOLERANCE = 1e-6;

function isWithinCapacity(wanted: Required<Guarantee>, free: Required<Guarantee>): boolean {
  return wanted.cpus <= free.cpus + TOLERANCE && wanted.memoryGib <= free.memoryGib + TOLERANCE;
}

/** What this machine has, for the containers of this process. */
export const machineCapacity = new Capacity({ cpus: availableParallelism(), memoryGib: totalmem() / 2 ** 30 });
