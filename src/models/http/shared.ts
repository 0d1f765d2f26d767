import { type HttpClient, openClient } from "./client.js";

// Deliberate module state: all systems of a process share one pool, so that each endpoint has one set of connections.
let shared: HttpClient | null = null;
let users = 0;

/** A lease of the shared client. */
export interface ClientLease {
  readonly client: HttpClient;
  /** Ends the lease. The last one closes the connections. */
  release(): void;
}

/**
 * Acquires the HTTP client shared by all systems of this process.
 * @example
 * const lease = leaseClient();
 * lease.release();
 */
export function leaseClient(): ClientLease {
  shared ??= openClient();
  users += 1;
  let isHeld = true;
  return {
    client: shared,
    release() {
      if (!isHeld) return;
      isHeld = false;
      users -= 1;
      if (users === 0) shared?.close();
    },
  };
}
