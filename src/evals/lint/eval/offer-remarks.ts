import { ownValue } from "../../../core/shape.js";
import { readPattern } from "../../../graders/pattern.js";
import { AGENT_TOOLS } from "./agent-tools.js";
import { listOf, namesIn, wantedParts } from "./config-values.js";
import type { EvalFile } from "./file-remarks.js";
import type { WrittenGrader } from "./places.js";
import type { EvalRemark, Subject } from "./subject.js";

/** Finds skills and tools that graders expect and the agent does not have. */
export function offerRemarks(subject: Subject): EvalRemark[] {
  return subject.graders.flatMap((grader) => [...missingSkills(grader, subject), ...missingTools(grader, subject)]);
}

/** Finds test cases that do not offer the skill under test, and so do not test it. */
export function underTestRemarks({ spec, tree }: EvalFile, subjects: readonly Subject[]): EvalRemark[] {
  const { skill } = spec;
  if (skill === null) return [];
  const without = subjects.filter(({ skills }) => !skills.some(({ name }) => name === skill.name || name === null));
  if (without.length === 0) return [];
  const names = without.map(({ stimulus }) => `"${stimulus.name}"`).join(", ");
  const message = `The skill under test, "${skill.name}", is not offered in ${names}.`;
  return [{ ...tree.placeOf(["skill"]), code: "EVAL-SKILL-NOT-OFFERED", message }];
}

function missingSkills({ spec, placeOf }: WrittenGrader, subject: Subject): EvalRemark[] {
  const { skills, stimulus } = subject;
  const { skill: underTest } = subject.spec;
  // An unreadable skill is reported by another rule.
  if (skills.some(({ name }) => name === null)) return [];
  return (
    wantedParts(spec)
      .filter(({ type }) => type === "skill-invocation")
      .flatMap((part) => listOf(part, "required"))
      // A missing skill under test is reported once for the file.
      .filter((wanted) => underTest?.name !== wanted && !skills.some(({ name }) => fitsSkill(wanted, name ?? "")))
      .map((wanted): EvalRemark => {
        const offered = skills.length === 0 ? "none is" : `offered: ${skills.map(({ name }) => name).join(", ")}`;
        const message = `"${stimulus.name}" expects the skill ${wordOf(wanted)}, which is not offered (${offered}).`;
        return { ...placeOf(), code: "EVAL-SKILL-UNKNOWN", message };
      })
  );
}

function fitsSkill(wanted: unknown, name: string): boolean {
  return typeof wanted === "string" ? wanted === name : fits(patternOf(wanted), name);
}

function patternOf(wanted: unknown): string {
  const { pattern } = (wanted ?? {}) as { pattern?: unknown };
  return typeof pattern === "string" ? pattern : "";
}

function wordOf(wanted: unknown): string {
  return typeof wanted === "string" ? `"${wanted}"` : `/${patternOf(wanted)}/`;
}

function missingTools({ spec, placeOf }: WrittenGrader, { spec: { defaults }, stimulus }: Subject): EvalRemark[] {
  const { mcpServers = {} } = stimulus.environment;
  const tools = toolsOf(defaults.executor);
  if (tools === null || Object.keys(mcpServers).length > 0) return [];
  return wantedParts(spec)
    .filter(({ type }) => type === "tool-calls")
    .flatMap((part) => [...namesIn(part, "required"), ...namesIn(part, "sequence")])
    .filter((name) => !tools.some((tool) => fits(name, tool)))
    .map((name): EvalRemark => {
      const whose = defaults.executor === null ? "No agent" : `The agent ${defaults.executor}`;
      const has = defaults.executor === null ? "has" : "does not have";
      return { ...placeOf(), code: "EVAL-TOOL-UNKNOWN", message: `${whose} ${has} a tool "${name}".` };
    });
}

/** Null for agents whose tools are not known. */
function toolsOf(executor: string | null): readonly string[] | null {
  if (executor === null) return Object.values(AGENT_TOOLS).flat();
  return ownValue(AGENT_TOOLS, executor) ?? null;
}

function fits(pattern: string, text: string): boolean {
  try {
    return readPattern(pattern).test(text);
  } catch {
    return true;
  }
}
