import { getOwn } from "../../../core/shape.js";
import { readPattern } from "../../../graders/pattern.js";
import { AGENT_TOOLS } from "./agent-tools.js";
import { getConfigList, listConfigNames, listWantedParts } from "./config-values.js";
import type { LintedEvalFile } from "./file-remarks.js";
import type { WrittenGrader } from "./places.js";
import type { EvalIssue, LintedStimulus } from "./subject.js";

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
