import type { DownloadProgress } from "../../core/dataset.js";

const EVERY_MS = 100;

/** One file, or a part of one, on its way. */
export interface Transfer {
  readonly got: (bytes: number) => void;
  /** Whatever was expected and did not come is no longer expected. */
  readonly end: () => void;
}

interface Listener {
  readonly onProgress: ((progress: DownloadProgress) => void) | undefined;
  readonly now: () => number;
}

/** Counts what comes over the network, and tells about it now and then. */
export class Meter {
  received = 0;
  #outstanding = 0;
  #toldAt = Number.NEGATIVE_INFINITY;
  readonly #listener: Listener;

  constructor(listener: Listener) {
    this.#listener = listener;
  }

  /** Bytes are about to come; `file` is null for what is not worth telling, such as listings. */
  start(file: string | null, expected: number): Transfer {
    let left = expected;
    this.#outstanding += left;
    const take = (bytes: number) => {
      const taken = Math.min(left, bytes);
      left -= taken;
      this.#outstanding -= taken;
    };
    return {
      got: (bytes) => {
        this.received += bytes;
        take(bytes);
        if (file !== null) this.#tell(file, null);
      },
      end: () => take(left),
    };
  }

  waiting(file: string, waitingFor: string): void {
    this.#tell(file, waitingFor);
  }

  /** The last word on a file, however recent the one before. */
  done(file: string): void {
    this.#toldAt = Number.NEGATIVE_INFINITY;
    this.#tell(file, null);
  }

  #tell(file: string, waitingFor: string | null): void {
    const now = this.#listener.now();
    if (now - this.#toldAt < EVERY_MS) return;
    this.#toldAt = now;
    const { received } = this;
    this.#listener.onProgress?.({ file, received, expected: received + this.#outstanding, waitingFor });
  }
}
