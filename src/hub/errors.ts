import { AssayError, EXIT, type Retry } from "../core/errors.js";

interface HubErrorOptions {
  cause?: unknown;
  /** Present when trying again may help. */
  retry?: Retry;
  /** True when the hub could not be reached or could not answer: what the cache holds may stand in. */
  isOutage?: boolean;
}

/** The hub, the network or the cache failed; the user's question was fine. */
export class HubError extends AssayError {
  readonly retry: Retry | null;
  readonly isOutage: boolean;

  constructor(message: string, { cause, retry, isOutage }: HubErrorOptions = {}) {
    super("HUB", message, { cause, exitCode: EXIT.infrastructure });
    this.retry = retry ?? null;
    this.isOutage = isOutage ?? retry !== undefined;
  }
}

/** What is asked for is not in the cache, and the network may not be used. */
export function offlineError(what: string): HubError {
  return new HubError(
    `${what} is not in the cache, and HF_HUB_OFFLINE forbids to fetch it. Run the same command once without HF_HUB_OFFLINE; afterwards it works offline.`,
  );
}

/** A size as people read it. */
export function sizeText(bytes: number): string {
  const units = ["bytes", "KiB", "MiB", "GiB", "TiB"];
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** power;
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`;
}
