import "../builtins.js";
import { QueueError } from "../core/errors.js";
import type { Announcement } from "../queue/contract.js";
import { forgetUnknownVersion } from "./agent-version.js";
import { describeRun } from "./describe-run.js";
import { enterFolder, type Invocation, isInvocation, requireHeaders } from "./invocation.js";
import { withoutQueue } from "./queue-address.js";
import { asksModels, revisionsOf } from "./resolve.js";
import type { RunFlags } from "./run-flags.js";
import { runOptions } from "./run-options.js";
import { say } from "./streams.js";
import { registerOwn, type Workbench, withParts } from "./workbench.js";
import { type Allowed, requireAllowed } from "./worker-allow.js";
import type { Place, TakePart } from "./worker-child.js";

/** A run started by a command, with this machine's settings. */
interface Joined {
  /** As announced; unchecked. */
  invocation: unknown;
  place: Place;
  headers: Readonly<Record<string, string>>;
  allowed: Allowed;
}

/** Creates the parts of a run like the command that started it, but with this machine's keys and programs, and joins it. */
export async function joinCommand(run: Announcement, { invocation, ...own }: Joined, use: TakePart): Promise<void> {
  if (!isInvocation(invocation, ["run", "eval"]))
    throw new QueueError("it was started by a command that this version does not support");
  requireHeaders(invocation, own.headers);
  const here = placed(invocation, own.place);
  enterFolder(here);
  withhold(requireAllowed(here, { allowed: own.allowed, project: here.cwd }));
  const bench = await benchOf(invocation);
  const described = withoutQueue(await describeRun(here, {}));
  const config = invocation.command === "run" ? withHeaders(described, own.headers) : described;
  await registerOwn(config);
  const wanted = { config, revisions: revisionsOf(run.identity) };
  await withParts(bench, wanted, async (parts) => {
    for (const system of parts.systems) forgetUnknownVersion(system, run.identity.systems[system.name]);
    await use(runOptions(parts, config));
  });
}

/** This process serves only one run, which must not have these keys. */
function withhold(names: readonly string[]): void {
  const kept = names.filter((name) => process.env[name] !== undefined);
  for (const name of kept) delete process.env[name];
  if (kept.length > 0)
    say(
      `The run names its own endpoint, so ${kept.join(", ")} is withheld from it. To send the key there, start the worker with --allow-env ${kept.join(",")}.`,
    );
}

async function benchOf({ command }: Invocation): Promise<Workbench> {
  return command === "eval" ? (await import("./eval.js")).EVAL : (await import("./run.js")).RUN;
}

function placed(invocation: Invocation, place: Place): Invocation {
  const { configFile } = invocation;
  return { ...invocation, cwd: place.cwd, configFile: configFile === null ? null : place.moved(configFile) };
}

/** One worker serves many runs: its headers are only for those that call models. */
function withHeaders(config: RunFlags, headers: Readonly<Record<string, string>>): RunFlags {
  if (Object.keys(headers).length === 0 || !asksModels(config)) return config;
  return { ...config, headers: { ...config.headers, ...headers } };
}
