import { adapterOf, detectAgent } from "../agents/index.js";
import { UsageError } from "../core/errors.js";
import { fingerprintOf } from "../core/fingerprint.js";
import type { System } from "../core/system.js";
import type { SystemRecord } from "../store/manifest.js";
import type { AgentConfig } from "./run-config.js";

/** The version of an agent's program on this machine; null when it is not here, or is a command of the user's own. */
export async function versionHere({ agent }: AgentConfig): Promise<string | null> {
  if (agent === undefined) return null;
  try {
    return (await detectAgent(adapterOf(agent.split(":", 1)[0] ?? agent))).version;
  } catch (error) {
    if (error instanceof UsageError) return null;
    throw error;
  }
}

/** Has a version be a part of what identifies an agent's work. */
export function withVersion<T extends System>(agent: T, version: string | null): T {
  const identity = { ...(agent.fingerprint?.() as object | undefined), version };
  return Object.assign(agent, { fingerprint: () => identity });
}

/**
 * Lets an agent of any version take part where the coordinator of a run does not know one, because it does not have the
 * program. Where it knows one, all workers have to have the same.
 */
export function forgetUnknownVersion(system: System, announced: SystemRecord | undefined): void {
  const identity = system.fingerprint?.();
  if (announced === undefined || typeof identity !== "object" || identity === null) return;
  if (!("agent" in identity && "version" in identity)) return;
  const unversioned = { name: system.name, fingerprint: () => ({ ...identity, version: null }) };
  if (fingerprintOf(unversioned, "process") === announced.fingerprint) withVersion(system, null);
}
