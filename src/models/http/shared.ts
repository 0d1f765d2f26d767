import { type HttpClient, openClient } from "./client.js";

// Module state, against the house rule: one pool serves all systems of a process, so that each endpoint has one set of
// connections however many systems call it.
let shared: HttpClient | null = null;
let users = 0;

/** The client that all systems share, until it is given back. */
export interface ClientLease {
  readonly client: HttpClient;
  /** Gives it back. When nobody has it any more, its connections are ended. */
  release(): void;
}

/**
 * Takes part in the client that all systems of this process share.
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
