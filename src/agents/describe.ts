import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { getKeyVariable } from "../budget/index.js";
import { getErrorMessage } from "../core/errors.js";
import { findProgram } from "../exec/process/index.js";
import type { AgentAdapter } from "./adapter.js";
import { ADAPTERS } from "./adapters/index.js";
import { formatInstallHint, requestVersion, VERSION_TIMEOUT_MS } from "./detect.js";

/** Whether an agent can be run here, and what is missing. */
export interface AgentStatus {
  readonly name: string;
  readonly isReady: boolean;
  readonly detail: string;
}

/** Describes all supported agents: which are installed, their versions, and what is missing. */
export function describeAgents(timeoutMs = VERSION_TIMEOUT_MS): Promise<AgentStatus[]> {
  return Promise.all(Object.values(ADAPTERS).map((adapter) => describeAgent(adapter, timeoutMs)));
}

async function describeAgent(adapter: AgentAdapter, timeoutMs: number): Promise<AgentStatus> {
  const { name } = adapter;
  const program = findProgram(adapter.program);
  if (program === null) return { name, isReady: false, detail: `not installed. ${formatInstallHint(adapter.install)}` };
  try {
    const { version, timedOut } = await requestVersion(program, timeoutMs);
    if (version === null)
      return { name, isReady: false, detail: `${program} ${describeMissingVersion(timedOut, timeoutMs)}` };
    const detail = [`${version} (${program})`, ...listAgentRemarks(adapter, version)].join("; ");
    return { name, isReady: hasAgentCredentials(adapter), detail };
  } catch (error) {
    return { name, isReady: false, detail: getErrorMessage(error) };
  }
}

function describeMissingVersion(timedOut: boolean, timeoutMs: number): string {
  const what = timedOut ? `did not respond within ${timeoutMs / 1000} s` : "does not report its version";
  return `${what}: try to start it`;
}

function listAgentRemarks(adapter: AgentAdapter, version: string): string[] {
  const { checkedVersion, asRoot } = adapter;
  const isRoot = process.getuid?.() === 0;
  return [
    ...(version === checkedVersion ? [] : [`tested with ${checkedVersion}: newer events are noted on rows`]),
    ...(isRoot && asRoot !== undefined ? [asRoot] : []),
    describeLogin(adapter),
  ];
}

/** If the provider must be named, its key is checked later. */
function hasAgentCredentials(adapter: AgentAdapter): boolean {
  const variable = getKeyVariable(adapter.provider);
  return variable === null || Boolean(process.env[variable]) || hasLogin(adapter);
}

function hasLogin({ login = "" }: AgentAdapter): boolean {
  return login !== "" && existsSync(join(homedir(), login));
}

function describeLogin(adapter: AgentAdapter): string {
  const { name, provider } = adapter;
  const isLoggedIn = hasLogin(adapter);
  const ownLogin = isLoggedIn ? "; or with its login: --agent-home inherit" : "";
  const variable = getKeyVariable(provider);
  if (variable === null) return `run as --agent ${name}:PROVIDER/MODEL with the provider's key${ownLogin}`;
  if (process.env[variable]) return `${variable} is set${ownLogin}`;
  return isLoggedIn
    ? `${variable} is not set: set it, or use its login with --agent-home inherit`
    : `${variable} is not set: set it, or log in with ${name} and use --agent-home inherit`;
}
