import { ADAPTERS } from "../../../agents/index.js";
import { didYouMean, getOwn } from "../../../core/index.js";
import { readPattern } from "../../../graders/index.js";
import type { FilePosition, YamlTree } from "../../../utils/index.js";
import type { Stimulus } from "../../spec/spec.js";
import type { LintedEvalFile } from "./file-issues.js";
import { getConfigList, listConfigNames, listWantedParts } from "./grader-config.js";
import type { EvalIssue, LintedStimulus } from "./linted-stimulus.js";
import { toDocumentFields, type WrittenGrader } from "./locations.js";

/** Built-in tools of each agent, named as in trajectories. MCP servers add more. */
const AGENT_TOOLS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.values(ADAPTERS).map(({ name, tools = [] }) => [name, tools]),
);

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

/** Finds skills and tools that graders expect and the agent does not have. */
export function findOfferIssues(subject: LintedStimulus): EvalIssue[] {
  return subject.graders.flatMap((grader) => [
    ...findMissingSkills(grader, subject),
    ...findMissingTools(grader, subject),
  ]);
}

/** Finds test cases that do not offer the skill under test, and so do not test it. */
export function findUnofferedSkillIssues(
  { spec, tree }: LintedEvalFile,
  subjects: readonly LintedStimulus[],
): EvalIssue[] {
  const { skill } = spec;
  if (skill === null) return [];
  const without = subjects.filter(({ skills }) => !skills.some(({ name }) => name === skill.name || name === null));
  if (without.length === 0) return [];
  const names = without.map(({ stimulus }) => `"${stimulus.name}"`).join(", ");
  const message = `The skill under test, "${skill.name}", is not offered in ${names}.`;
  return [{ ...tree.locate(["skill"]), code: "EVAL-SKILL-NOT-OFFERED", message }];
}

function findMissingSkills({ spec, placeOf }: WrittenGrader, subject: LintedStimulus): EvalIssue[] {
  const { skills, stimulus } = subject;
  const { skill: underTest } = subject.spec;
  // An unreadable skill is reported by another rule.
  if (skills.some(({ name }) => name === null)) return [];
  return (
    listWantedParts(spec)
      .filter(({ type }) => type === "skill-invocation")
      .flatMap((part) => getConfigList(part, "required"))
      // A missing skill under test is reported once for the file.
      .filter((wanted) => underTest?.name !== wanted && !skills.some(({ name }) => matchesSkill(wanted, name ?? "")))
      .map((wanted): EvalIssue => {
        const offered = skills.length === 0 ? "none is" : `offered: ${skills.map(({ name }) => name).join(", ")}`;
        const message = `"${stimulus.name}" expects the skill ${formatExpectedSkill(wanted)}, which is not offered (${offered}).`;
        return { ...placeOf(), code: "EVAL-SKILL-UNKNOWN", message };
      })
  );
}

function matchesSkill(wanted: unknown, name: string): boolean {
  return typeof wanted === "string" ? wanted === name : matchesPattern(getSkillPattern(wanted), name);
}

function getSkillPattern(wanted: unknown): string {
  const { pattern } = (wanted ?? {}) as { pattern?: unknown };
  return typeof pattern === "string" ? pattern : "";
}

function formatExpectedSkill(wanted: unknown): string {
  return typeof wanted === "string" ? `"${wanted}"` : `/${getSkillPattern(wanted)}/`;
}

function findMissingTools(
  { spec, placeOf }: WrittenGrader,
  { spec: { defaults }, stimulus }: LintedStimulus,
): EvalIssue[] {
  const { mcpServers = {} } = stimulus.environment;
  const tools = listAgentTools(defaults.executor);
  if (tools === null || Object.keys(mcpServers).length > 0) return [];
  return listWantedParts(spec)
    .filter(({ type }) => type === "tool-calls")
    .flatMap((part) => [...listConfigNames(part, "required"), ...listConfigNames(part, "sequence")])
    .filter((name) => !tools.some((tool) => matchesPattern(name, tool)))
    .map((name): EvalIssue => {
      const whose = defaults.executor === null ? "No agent" : `The agent ${defaults.executor}`;
      const has = defaults.executor === null ? "has" : "does not have";
      return { ...placeOf(), code: "EVAL-TOOL-UNKNOWN", message: `${whose} ${has} a tool "${name}".` };
    });
}

/** Null for agents whose tools are not known. */
function listAgentTools(executor: string | null): readonly string[] | null {
  if (executor === null) return Object.values(AGENT_TOOLS).flat();
  return getOwn(AGENT_TOOLS, executor) ?? null;
}

function matchesPattern(pattern: string, text: string): boolean {
  try {
    return readPattern(pattern).test(text);
  } catch {
    return true;
  }
}
