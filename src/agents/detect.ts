import { existsSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { getKeyVariable } from "../budget/index.js";
import { getErrorMessage, UsageError } from "../core/index.js";
import { describeNotExecutable, findProgram, isMissingExecuteBit, runCommand } from "../exec/index.js";
import type { AgentAdapter } from "./adapter.js";
import { ADAPTERS, COMMAND_AGENTS } from "./adapters/index.js";
import { describeOldVersion, requireVersion } from "./version.js";

/** Some programs load completely to report their version. */
const VERSION_TIMEOUT_MS = 20_000;

/** An installed agent. */
interface DetectedAgent {
  readonly program: string;
  /** Null when unknown. */
  readonly version: string | null;
}

/** Finds the program of an agent and its version. Throws when it is missing or too old. */
export async function detectAgent(adapter: AgentAdapter): Promise<DetectedAgent> {
  const program = findProgram(adapter.program);
  if (program === null) throw new UsageError(describeMissingAgent(adapter));
  const isAsked = adapter.command === undefined || adapter.minVersion !== undefined;
  const version = isAsked ? (await requestVersion(program, adapter)).version : null;
  requireVersion(adapter, version);
  return { program, version };
}

function describeMissingAgent({ program, install, command }: AgentAdapter): string {
  if (isMissingExecuteBit(program)) return describeNotExecutable(program);
  // At the end of the message, so that it can be copied.
  if (command === undefined)
    return `Program "${program}" not found in PATH (see: assay doctor). ${formatInstallHint(install)}`;
  return program.includes("/")
    ? `Program ${program} not found. Check the path.`
    : `Program "${program}" not found in PATH. ${install}`;
}

function formatInstallHint(install: string): string {
  return install.startsWith("https://") ? `How to install it: ${install}` : `Install it with: ${install}`;
}

/** A program's response to a request for its version. */
interface VersionAnswer {
  /** Null when unknown. */
  readonly version: string | null;
  /** True when it did not respond in time and was stopped. */
  readonly timedOut: boolean;
}

export async function requestVersion(
  program: string,
  { versionArgs = ["--version"] }: Pick<AgentAdapter, "versionArgs"> = {},
  timeoutMs = VERSION_TIMEOUT_MS,
): Promise<VersionAnswer> {
  const { PATH = "", HOME = "" } = process.env;
  const env = { PATH, HOME };
  const command = { command: program, args: versionArgs, cwd: tmpdir(), env, timeoutMs };
  const { stdout, stderr, timedOut } = await runCommand(command);
  // Some print it to stderr.
  return { version: /\d+\.\d+\.\d+[\w.+-]*/.exec(`${stdout}\n${stderr}`)?.[0] ?? null, timedOut };
}

/** Whether an agent can be run here, and what is missing. */
export interface AgentStatus {
  readonly name: string;
  readonly isReady: boolean;
  readonly detail: string;
}

/** Describes agents: which are installed, their versions and the least ones that work, and what is missing. */
export function describeAgents(
  timeoutMs = VERSION_TIMEOUT_MS,
  adapters: readonly AgentAdapter[] = [...Object.values(ADAPTERS), ...Object.values(COMMAND_AGENTS)],
): Promise<AgentStatus[]> {
  return Promise.all(adapters.map((adapter) => describeAgent(adapter, timeoutMs)));
}

async function describeAgent(adapter: AgentAdapter, timeoutMs: number): Promise<AgentStatus> {
  const { name, isUntested, remark } = adapter;
  const known = [...(isUntested === true ? ["untested"] : []), ...(remark === undefined ? [] : [remark])];
  const least = adapter.minVersion === undefined ? [] : [`at least ${adapter.minVersion}`];
  const program = findProgram(adapter.program);
  if (program === null) {
    const what = ["not installed", ...least, ...known].join("; ");
    return { name, isReady: false, detail: `${what}. ${formatInstallHint(adapter.install)}` };
  }
  try {
    const { version, timedOut } = await requestVersion(program, adapter, timeoutMs);
    if (version === null && adapter.command === undefined)
      return { name, isReady: false, detail: `${program} ${describeMissingVersion(timedOut, timeoutMs)}` };
    const old = describeOldVersion(adapter, version);
    if (old !== null) return { name, isReady: false, detail: `${old} (${program})` };
    const detail = [
      `${version ?? "version unknown"} (${program})`,
      ...least,
      ...known,
      ...listAgentRemarks(adapter, version),
    ];
    return { name, isReady: hasAgentCredentials(adapter), detail: detail.join("; ") };
  } catch (error) {
    return { name, isReady: false, detail: getErrorMessage(error) };
  }
}

function describeMissingVersion(timedOut: boolean, timeoutMs: number): string {
  const what = timedOut ? `did not respond within ${timeoutMs / 1000} s` : "does not report its version";
  return `${what}: try to start it`;
}

function listAgentRemarks(adapter: AgentAdapter, version: string | null): string[] {
  const { checkedVersion, asRoot } = adapter;
  const isRoot = process.getuid?.() === 0;
  return [
    ...(version === checkedVersion || checkedVersion === ""
      ? []
      : [`tested with ${checkedVersion}: newer events are noted on rows`]),
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
