import { detectAgent, requireAdapter } from "../agents/index.js";
import type { System } from "../core/index.js";
import { computeFingerprint, UsageError } from "../core/index.js";
import type { SystemRecord } from "../store/index.js";
import type { AgentConfig } from "./run-config.js";

/** The installed version of an agent; null if it is not installed or is a custom command. */
export async function findInstalledVersion({ agent }: AgentConfig): Promise<string | null> {
  if (agent === undefined) return null;
  try {
    return (await detectAgent(requireAdapter(agent.split(":", 1)[0] ?? agent))).version;
  } catch (error) {
    if (error instanceof UsageError) return null;
    throw error;
  }
}

/** Makes the version part of the agent's fingerprint. */
export function addVersion<T extends System>(agent: T, version: string | null): T {
  const identity = { ...(agent.fingerprint?.() as object | undefined), version };
  return Object.assign(agent, { fingerprint: () => identity });
}

/**
 * Accepts any agent version if the coordinator of the run does not know one, because the program is not installed there.
 * If it knows one, all workers must have the same.
 */
export function dropUnknownVersion(system: System, announced: SystemRecord | undefined): void {
  const identity = system.fingerprint?.();
  if (announced === undefined || typeof identity !== "object" || identity === null) return;
  if (!("agent" in identity && "version" in identity)) return;
  const unversioned = { name: system.name, fingerprint: () => ({ ...identity, version: null }) };
  if (computeFingerprint(unversioned, "process") === announced.fingerprint) addVersion(system, null);
}
