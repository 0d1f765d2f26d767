import { didYouMean } from "../../../core/suggest.js";
import type { Place, YamlTree } from "../../../utils/files/yaml-tree.js";
import type { Stimulus } from "../../spec/spec.js";
import { AGENT_TOOLS } from "./agent-tools.js";
import type { EvalFile } from "./file-remarks.js";
import { fieldsOf } from "./places.js";
import type { EvalRemark } from "./subject.js";

/** Where a command takes its task, after the name of the program. */
const TASK = /\s.*\{prompt(?:_file)?\}/s;
/** Commands are run without a shell, so nothing would set the variable. */
const VARIABLE = /^([A-Za-z_]\w*)=/;

/** Agents that do not support MCP servers. */
const WITHOUT_SERVERS: readonly string[] = ["pi"];

/** Finds executors that no run accepts, and executors that ignore skills or MCP servers. */
export function executorRemarks({ spec, tree }: EvalFile): EvalRemark[] {
  const { executor } = spec.defaults;
  if (executor === null) return [];
  const place = placeOfExecutor(tree);
  if (Object.hasOwn(AGENT_TOOLS, executor)) return notTaken(executor, spec.stimuli, place);
  const problem = problemWith(executor);
  if (problem === null) return notTaken(executor, spec.stimuli, place);
  return [{ ...place, code: "EVAL-EXECUTOR", message: problem }];
}

function problemWith(executor: string): string | null {
  const [, variable] = VARIABLE.exec(executor) ?? [];
  if (variable !== undefined)
    return `The executor begins with the variable ${variable}, which is not set because no shell is used.`;
  if (TASK.test(executor)) return null;
  const isCommand = /[\s{]/.test(executor.trim());
  if (isCommand) return `The command "${executor}" has no placeholder for the task: add {prompt} after the program.`;
  return `Unknown agent "${executor}".${didYouMean(executor, Object.keys(AGENT_TOOLS))}`;
}

/** What an agent may be offered, and the placeholder by which a command takes it. */
const OFFERS = [
  {
    what: "skills",
    hole: "{skills}",
    taken: /\{skills\}|ASSAY_SKILLS_DIR/,
    without: [] as readonly string[],
    isOffered: ({ environment }: Stimulus) => (environment.skills ?? []).length > 0,
  },
  {
    what: "MCP servers",
    hole: "{mcp_config}",
    taken: /\{mcp_config\}|ASSAY_MCP_CONFIG/,
    without: WITHOUT_SERVERS,
    isOffered: ({ environment }: Stimulus) => Object.keys(environment.mcpServers ?? {}).length > 0,
  },
];

function notTaken(executor: string, stimuli: readonly Stimulus[], place: Place): EvalRemark[] {
  const isAgent = Object.hasOwn(AGENT_TOOLS, executor);
  return OFFERS.flatMap(({ what, hole, taken, without, isOffered }): EvalRemark[] => {
    const first = stimuli.find(isOffered);
    const takes = isAgent ? !without.includes(executor) : taken.test(executor);
    if (first === undefined || takes) return [];
    const why = isAgent ? `The agent ${executor} does not support ${what}` : `The executor's command has no ${hole}`;
    const message = `${why}, but "${first.name}" offers it ${what}.`;
    const fix = isAgent ? {} : { fix: `Write ${hole} where the command takes them, or remove them.` };
    return [{ ...place, code: "EVAL-NOT-TAKEN", message, ...fix }];
  });
}

/** The key has several spellings. */
function placeOfExecutor(tree: YamlTree): Place {
  const under = ["defaults", "config"].find((key) => fieldsOf(tree.value)[key] !== undefined) ?? "defaults";
  const isAlias = fieldsOf(fieldsOf(tree.value)[under]).executor === undefined;
  return tree.placeOf([under, isAlias ? "agent" : "executor"]);
}
