import { UsageError } from "../core/index.js";
import type { AgentAdapter } from "./adapter.js";

/** The numbers of a version: `2.1.325-beta` is 2, 1 and 325. */
function parseVersion(version: string): number[] {
  return (/\d+(?:\.\d+)*/.exec(version)?.[0] ?? "").split(".").map(Number);
}

/**
 * True when a version is older than another.
 * @example
 * isOlderVersion("1.0.72", "2.0.67"); // true
 */
export function isOlderVersion(version: string, least: string): boolean {
  const [own, other] = [parseVersion(version), parseVersion(least)];
  for (let i = 0; i < Math.max(own.length, other.length); i++) {
    const difference = (own[i] ?? 0) - (other[i] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/** Why an installed version cannot be used; null when it can, or when nothing is known about it. */
export function describeOldVersion(
  { program, minVersion, install }: AgentAdapter,
  version: string | null,
): string | null {
  if (minVersion === undefined || version === null || !isOlderVersion(version, minVersion)) return null;
  return `${program} ${version} is too old: version ${minVersion} is the first that works. Update it with: ${install}`;
}

/** Throws when the installed version is too old, before anything is spent. */
export function requireVersion(adapter: AgentAdapter, version: string | null): void {
  const problem = describeOldVersion(adapter, version);
  if (problem !== null) throw new UsageError(problem);
}
