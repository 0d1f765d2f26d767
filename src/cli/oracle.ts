import "../builtins.js";
import { UsageError } from "../core/errors.js";
import { registry } from "../core/registry.js";
import { didYouMean } from "../core/suggest.js";
import {
  commandsOf,
  type OracleProgress,
  type OracleTask,
  oracleTasks,
  runOracle,
  type StimulusCheck,
} from "../evals/oracle/index.js";
import { datasetOf, findSpecs, loadSpec } from "../evals/spec/index.js";
import { plural } from "../report/format.js";
import { type EvalProject, openProject } from "./eval-project.js";
import { guarded } from "./guard.js";
import { interruptible } from "./interrupt.js";
import { exitCodeOf, renderOracle } from "./oracle-report.js";
import { StatusLine } from "./status-line.js";
import { say, writeResult } from "./streams.js";
import { requireTrust, type TrustFlags } from "./trust.js";

/** What the flags of `assay oracle` parse to. */
export interface OracleFlags extends TrustFlags {
  /** Eval files, folders of them and patterns; those of the config file, else of the working folder, when there are none. */
  readonly evals: readonly string[];
  /** Names of the stimuli that are checked; all unless told. */
  readonly stimuli: readonly string[];
  readonly plugins: readonly string[];
  readonly config?: string;
  readonly maxOmissions?: number;
  readonly workers?: number;
  readonly strict?: boolean;
  /** `table` or `json`. */
  readonly output?: string;
  readonly quiet?: boolean;
}

const OUTPUTS = ["table", "json"];

/** `assay oracle`: holds graders against golden patches. Starts no agent. */
export async function oracleCommand(flags: OracleFlags): Promise<number> {
  const { output = "table", strict = false } = flags;
  if (!OUTPUTS.includes(output)) throw new UsageError(`Unknown output "${output}". Write --output table or json.`);
  const { checks, stopCode } = await guarded(() => checkAll(flags));
  await writeResult(renderOracle(checks, output));
  return stopCode ?? exitCodeOf(checks, strict);
}

async function checkAll(flags: OracleFlags): Promise<{ checks: StimulusCheck[]; stopCode: number | null }> {
  const project = await openProject(flags);
  const tasks = chosen(await tasksOf(flags.evals, project), flags.stimuli);
  sayCommands(tasks, flags);
  const line = flags.quiet === true ? null : new StatusLine(process.stderr);
  const startedAt = performance.now();
  const interrupt = interruptible(() => line?.clear());
  try {
    const checks = await runOracle(tasks, {
      ...(flags.maxOmissions === undefined ? {} : { maxOmissions: flags.maxOmissions }),
      ...(flags.workers === undefined ? {} : { workers: flags.workers }),
      registry,
      signal: interrupt.signal,
      onProgress: (progress) => line?.show(() => describeOracle(progress), performance.now() - startedAt),
    });
    return { checks, stopCode: interrupt.exitCode };
  } finally {
    line?.clear();
    interrupt.release();
  }
}

/** The stimuli of all eval files, with the contents of their environments. */
async function tasksOf(evals: readonly string[], { config, environments }: EvalProject): Promise<OracleTask[]> {
  const tasks: OracleTask[] = [];
  for (const file of await findSpecs(evals.length > 0 ? evals : (config.evals?.paths ?? ["."]))) {
    const spec = await loadSpec(file, { registry, environments });
    for (const note of spec.notes) say(`${file}: ${note}`);
    tasks.push(...oracleTasks(spec, await datasetOf(spec, registry)));
  }
  return tasks;
}

/** They run with the rights of whoever started this. */
function sayCommands(tasks: readonly OracleTask[], flags: OracleFlags): void {
  const commands = new Set(tasks.flatMap(({ example }) => commandsOf(example)));
  if (commands.size === 0) return;
  for (const file of new Set(tasks.map(({ place }) => place.file)))
    requireTrust(file, `it has commands run: ${[...commands].join("; ")}`, flags);
  say(`Runs with your rights, in folders of its own: ${[...commands].join("; ")}`);
}

function chosen(tasks: readonly OracleTask[], names: readonly string[]): readonly OracleTask[] {
  if (names.length === 0) return tasks;
  const known = new Set(tasks.map(({ place }) => place.stimulus));
  const unknown = names.find((name) => !known.has(name));
  if (unknown !== undefined) throw new UsageError(`There is no stimulus "${unknown}".${didYouMean(unknown, known)}`);
  return tasks.filter(({ place }) => names.includes(place.stimulus));
}

/** `14/54 states · 1/3 stimuli · 2 survivors` */
function describeOracle({ done, planned, finished, stimuli, survived }: OracleProgress): string {
  const parts = [`${done}/${planned} states`, `${finished}/${stimuli} stimuli`];
  return [...parts, ...(survived === 0 ? [] : [plural(survived, "survivor")])].join(" · ");
}
