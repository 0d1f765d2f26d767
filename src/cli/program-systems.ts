import type { System } from "../core/index.js";
import { omitUndefined } from "../core/index.js";
import { deriveCommandName } from "../exec/index.js";
import { parseEndpointHost } from "../models/index.js";
import { CommandSystem, UrlSystem } from "../systems/index.js";
import { isProgramConfig, type ProgramConfig } from "./program-config.js";
import type { RunConfig } from "./run-config.js";

export type SystemSpec = NonNullable<RunConfig["systems"]>[number];

/** Names for all programs of a run. Those that would be the same are told apart by the whole command or address. */
export function nameProgramSystems(specs: readonly SystemSpec[]): SystemSpec[] {
  const programs = specs.filter(isProgramConfig);
  const usual = programs.map((spec) => spec.name ?? deriveProgramName(spec));
  return specs.map((spec) => {
    if (!isProgramConfig(spec) || spec.name !== undefined) return spec;
    const name = deriveProgramName(spec);
    const isUnique = usual.filter((each) => each === name).length === 1;
    return { ...spec, name: isUnique ? name : "command" in spec ? spec.command : spec.url };
  });
}

function deriveProgramName(spec: ProgramConfig): string {
  return "command" in spec ? deriveCommandName(spec.command) : parseEndpointHost(spec.url);
}

/** Opens a command or an address with the settings of its run. Nothing is started yet. */
export function openProgramSystem(spec: ProgramConfig, run: RunConfig): System {
  const { timeout = run.timeout, ...own } = spec;
  const shared = {
    hiddenFields: listAnswerColumns(run),
    ...(timeout === undefined ? {} : { timeoutMs: timeout * 1000 }),
  };
  if ("command" in own) return new CommandSystem({ ...own, ...shared });
  const { headers, allowInsecure } = run;
  return new UrlSystem({ ...omitUndefined({ headers, allowInsecure }), ...own, ...shared });
}

/** Columns that are read as answers keep their own name on the example, and must not be sent either. */
function listAnswerColumns({ map, namedDatasets = {} }: RunConfig): string[] {
  const maps = [map, ...Object.values(namedDatasets).map((named) => named.map)];
  return maps.flatMap((each) => [each?.answer, each?.answers].filter((column) => column !== undefined));
}
