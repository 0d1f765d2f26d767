import { expect } from "vitest";

const TIMEOUT_MS = 120_000;

/**
 * Expects something of a page within a generous time limit, since a busy machine takes longer than the default.
 * @example
 * await waitFor(() => page.title()).toBe("Runs · Assay");
 */
export function waitFor<T>(read: () => T, options: { interval?: number; message?: string } = {}) {
  return expect.poll(read, { timeout: TIMEOUT_MS, ...options });
}
