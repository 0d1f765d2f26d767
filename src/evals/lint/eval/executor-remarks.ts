import { didYouMean } from "../../../core/suggest.js";
import type { FilePosition, YamlTree } from "../../../utils/files/yaml-tree.js";
import type { Stimulus } from "../../spec/spec.js";
import { AGENT_TOOLS } from "./agent-tools.js";
import type { LintedEvalFile } from "./file-remarks.js";
import { toDocumentFields } from "./places.js";
import type { EvalIssue } from "./subject.js";

/** Where a command takes its task, after the name of the program. */
const PROMPT_PLACEHOLDER = /\s.*\{prompt(?:_file)?\}/s;
/** Commands are run without a shell, so nothing would set the variable. */
const VARIABLE_PREFIX = /^([A-Za-z_]\w*)=/;

/** Agents that do not support MCP servers. */
const AGENTS_WITHOUT_MCP: readonly string[] = ["pi"];

/** Finds executors that no run accepts, and executors that ignore skills or MCP servers. */
export function findExecutorIssues({ spec, tree }: LintedEvalFile): EvalIssue[] {
  const { executor } = spec.defaults;
  if (executor === null) return [];
  const place = locateExecutor(tree);
  if (Object.hasOwn(AGENT_TOOLS, executor)) return findUnsupportedOffers(executor, spec.stimuli, place);
  const problem = checkExecutor(executor);
  if (problem === null) return findUnsupportedOffers(executor, spec.stimuli, place);
  return [{ ...place, code: "EVAL-EXECUTOR", message: problem }];
}

function checkExecutor(executor: string): string | null {
  const [, variable] = VARIABLE_PREFIX.exec(executor) ?? [];
  if (variable !== undefined)
    return `The executor begins with the variable ${variable}, which is not set because no shell is used.`;
  if (PROMPT_PLACEHOLDER.test(executor)) return null;
  const isCommand = /[\s{]/.test(executor.trim());
  if (isCommand) return `The command "${executor}" has no placeholder for the task: add {prompt} after the program.`;
  return `Unknown agent "${executor}".${didYouMean(executor, Object.keys(AGENT_TOOLS))}`;
}

/** What an agent may be offered, and the placeholder by which a command takes it. */
const OFFER_KINDS = [
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
    without: AGENTS_WITHOUT_MCP,
    isOffered: ({ environment }: Stimulus) => Object.keys(environment.mcpServers ?? {}).length > 0,
  },
];

function findUnsupportedOffers(executor: string, stimuli: readonly Stimulus[], place: FilePosition): EvalIssue[] {
  const isAgent = Object.hasOwn(AGENT_TOOLS, executor);
  return OFFER_KINDS.flatMap(({ what, hole, taken, without, isOffered }): EvalIssue[] => {
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
function locateExecutor(tree: YamlTree): FilePosition {
  const under = ["defaults", "config"].find((key) => toDocumentFields(tree.value)[key] !== undefined) ?? "defaults";
  const isAlias = toDocumentFields(toDocumentFields(tree.value)[under]).executor === undefined;
  return tree.locate([under, isAlias ? "agent" : "executor"]);
}
