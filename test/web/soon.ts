import { expect } from "vitest";

const PATIENCE_MS = 120_000;

/**
 * Expects something of a page within a while: a busy machine takes longer than the second that is usual.
 * @example
 * await soon(() => page.title()).toBe("Runs · Assay");
 */
export function soon<T>(read: () => T, options: { interval?: number; message?: string } = {}) {
  return expect.poll(read, { timeout: PATIENCE_MS, ...options });
}
