import { type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../core/errors.js";
import { QUEUE_STATE_FILE } from "../../queue/contract.js";
import { readRunFile } from "../../store/run-file.js";
import type { QueueView } from "./contract.js";
import { parseQueueState } from "./queue-shape.js";
import { type QueueRecord, queueView } from "./queue-view.js";

/** Thousands of workers fit into this: what is larger is no state of a queue. */
const MOST_BYTES = 4 << 20;

/**
 * What the coordinator of a run tells about its workers, in whatever process it is. The file is read again when it is
 * another one.
 * @example
 * const queue = new QueueFile(".assay/runs/20261115-213334-needle");
 * queue.look({ isGoing: true });
 */
export class QueueFile {
  readonly #dir: string;
  #state = "";
  #record: QueueRecord | null = null;

  constructor(runDir: string) {
    this.#dir = runDir;
  }

  /** The workers as they are now; null when the run went over no queue. Time passes also while the file stays as it is. */
  look({ isGoing, now = Date.now() }: { isGoing: boolean; now?: number }): QueueView | null {
    const stats = statOf(join(this.#dir, QUEUE_STATE_FILE));
    // Each state is a new file, so that one of the same size and moment is told from the one before.
    const state = stats === undefined ? "" : `${stats.ino} ${stats.size}@${stats.mtimeMs}`;
    if (state !== this.#state) this.#record = stats === undefined ? null : recordIn(this.#dir, stats);
    this.#state = state;
    return queueView(this.#record, { isGoing, now });
  }
}

/** What cannot be read costs itself alone: the run is shown without it. */
function recordIn(dir: string, { size }: Stats): QueueRecord {
  try {
    if (size > MOST_BYTES) throw new Error("it is too large for the state of a queue");
    return { state: parseQueueState(readRunFile(dir, QUEUE_STATE_FILE)) };
  } catch (error) {
    return { problem: `The workers are not shown, because ${QUEUE_STATE_FILE} cannot be used: ${messageOf(error)}.` };
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
