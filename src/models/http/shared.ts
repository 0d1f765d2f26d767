import { type HttpClient, openClient } from "./client.js";

// Deliberate module state: all systems of a process share one pool, so that each endpoint has one set of connections.
let sharedClient: HttpClient | null = null;
let leaseCount = 0;

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
  sharedClient ??= openClient();
  leaseCount += 1;
  let isHeld = true;
  return {
    client: sharedClient,
    release() {
      if (!isHeld) return;
      isHeld = false;
      leaseCount -= 1;
      if (leaseCount === 0) sharedClient?.close();
    },
  };
}
