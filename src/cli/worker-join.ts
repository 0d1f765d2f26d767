import "../builtins.js";
import { ModuleError, QueueError } from "../core/index.js";
import type { EvaluateOptions } from "../evaluate.js";
import type { Announcement } from "../queue/index.js";
import { dropUnknownVersion } from "./agent-version.js";
import { enterFolder, type Invocation, isInvocation, requireHeaders, resolveRunFlags } from "./invocation.js";
import { loadModule } from "./load-module.js";
import { getStoredRevisions, usesModels } from "./resolve.js";
import type { RunFlags } from "./run-flags.js";
import { dropQueueFlags } from "./run-flags.js";
import { type RunSource, registerRunEntries, toEvaluateOptions, withRunParts } from "./run-source.js";
import { printNote } from "./streams.js";
import { requireAllowed, type WorkerPermissions } from "./worker-allow.js";
import type { JoinRun, LocalProject } from "./worker-child.js";

/** A run started by a command, with this machine's settings. */
interface JoinedCommand {
  /** As announced; unchecked. */
  invocation: unknown;
  place: LocalProject;
  headers: Readonly<Record<string, string>>;
  allowed: WorkerPermissions;
}

/** Creates the parts of a run like the command that started it, but with this machine's keys and programs, and joins it. */
export async function joinCommand(
  run: Announcement,
  { invocation, ...own }: JoinedCommand,
  use: JoinRun,
): Promise<void> {
  if (!isInvocation(invocation, ["run", "eval"]))
    throw new QueueError("it was started by a command that this version does not support");
  requireHeaders(invocation, own.headers);
  const here = relocateInvocation(invocation, own.place);
  enterFolder(here);
  withholdKeys(requireAllowed(here, { allowed: own.allowed, project: here.cwd }));
  const bench = await loadRunSource(invocation);
  const described = dropQueueFlags(await resolveRunFlags(here, {}));
  const config = invocation.command === "run" ? addWorkerHeaders(described, own.headers) : described;
  await registerRunEntries(config);
  const wanted = { config, revisions: getStoredRevisions(run.identity) };
  await withRunParts(bench, wanted, async (parts) => {
    for (const system of parts.systems) dropUnknownVersion(system, run.identity.systems[system.name]);
    await use(toEvaluateOptions(parts, config));
  });
}

/** This process serves only one run, which must not have these keys. */
function withholdKeys(names: readonly string[]): void {
  const kept = names.filter((name) => process.env[name] !== undefined);
  for (const name of kept) delete process.env[name];
  if (kept.length > 0)
    printNote(
      `The run names its own endpoint, so ${kept.join(", ")} ${kept.length === 1 ? "is" : "are"} withheld from it. To send keys there, start the worker with --allow-env ${kept.join(",")}.`,
    );
}

async function loadRunSource({ command }: Invocation): Promise<RunSource> {
  return command === "eval" ? (await import("./eval.js")).EVAL_SOURCE : (await import("./run.js")).RUN_SOURCE;
}

function relocateInvocation(invocation: Invocation, place: LocalProject): Invocation {
  const { configFile } = invocation;
  return { ...invocation, cwd: place.cwd, configFile: configFile === null ? null : place.toLocalPath(configFile) };
}

/** One worker serves many runs: its headers are only for those that call models. */
function addWorkerHeaders(config: RunFlags, headers: Readonly<Record<string, string>>): RunFlags {
  if (Object.keys(headers).length === 0 || !usesModels(config)) return config;
  return { ...config, headers: { ...config.headers, ...headers } };
}

/** A module exports options of `evaluate` as `default` or `options`, or a function that returns them. */
export async function loadModuleOptions(path: string): Promise<EvaluateOptions> {
  const exports = await loadModule(path, "module of the run");
  const exported = exports.default ?? exports.options;
  const options: unknown = typeof exported === "function" ? await (exported as () => unknown)() : exported;
  if (typeof options === "object" && options !== null) return options as EvaluateOptions;
  throw new ModuleError(
    `${path} exports no evaluate() options. Export them as \`default\` or as \`options\`, or a function that returns them.`,
  );
}
