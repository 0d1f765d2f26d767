import type { AgentHappening } from "../core/trajectory.js";

/** Tools that take up a skill by its name, by their own names in small letters and without marks between the words. */
const SKILL_TOOLS = new Set([
  "skill",
  "activateskill",
  "useskill",
  "loadskill",
  "invokeskill",
  "runskill",
  "readskill",
]);

/** What such a tool calls the skill; the last is of Claude Code before 2.1. */
const NAME_FIELDS = ["skill", "name", "skill_name", "skillName", "command"];

/** Tools whose arguments speak of files without looking at them: they write, plan, or tell another agent. */
const NOT_READING = /write|edit|patch|create|replace|filechange|todo|plan|task|agent|collab/;

type ToolCall = Extract<AgentHappening, { type: "tool_call" }>;

/**
 * What happened, with an activation after each tool call that takes up a skill: by a tool for skills, or by reading the
 * SKILL.md of one that was offered. What the call comes to does not matter: the agent has chosen the skill.
 * @example
 * const [call, activation] = withActivations([catTidySkill], ["tidy"]);
 */
export function withActivations(
  happenings: readonly AgentHappening[],
  offered: readonly string[],
): readonly AgentHappening[] {
  if (!happenings.some(({ type }) => type === "tool_call")) return happenings;
  return happenings.flatMap((happening): readonly AgentHappening[] => {
    if (happening.type !== "tool_call") return [happening];
    return [happening, ...activated(happening, offered).map((name) => activation(name, happening))];
  });
}

/** At the time of the call, where the stream itself tells it. */
function activation(name: string, call: ToolCall): AgentHappening {
  const when = "timestamp" in call ? { timestamp: call.timestamp } : {};
  return { type: "skill_activation", name, ...when };
}

/** A tool for skills names one itself, which may also be one of the agent's own. */
function activated(call: ToolCall, offered: readonly string[]): readonly string[] {
  const tool = plainName(call.name);
  if (SKILL_TOOLS.has(tool)) return namedIn(call.arguments, offered);
  if (offered.length === 0 || NOT_READING.test(tool)) return [];
  const texts = textsIn(call.arguments);
  return offered.filter((name) => texts.some((text) => readsSkill(text, name)));
}

/** Without the server that a tool belongs to, without case, without marks between words. */
function plainName(name: string): string {
  const own = name.split(/__|[./:]/).at(-1) ?? name;
  return own.toLowerCase().replace(/[_\s-]/g, "");
}

function namedIn(given: unknown, offered: readonly string[]): readonly string[] {
  const fields = typeof given === "object" && given !== null ? (given as Readonly<Record<string, unknown>>) : {};
  const values = typeof given === "string" ? [given] : NAME_FIELDS.map((field) => fields[field]);
  const named = values.find((value): value is string => typeof value === "string" && value.trim() !== "");
  if (named === undefined) return [];
  const [word = ""] = named.trim().replace(/^\//, "").split(/\s/);
  // Those of a plug-in have its name before theirs.
  const own = word.split(":").at(-1) ?? word;
  return [offered.includes(own) ? own : word];
}

/** All texts in a call's arguments, however deep. */
function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** Names the file by its folder, or goes into that folder first. */
function readsSkill(text: string, name: string): boolean {
  if (!text.includes("SKILL.md") || !text.includes(name)) return false;
  const own = name.replaceAll(".", "\\.");
  const inFolder = new RegExp(`(?<![\\w.-])${own}[/\\\\]+(?:\\./)?SKILL\\.md\\b`);
  const afterGoing = new RegExp(
    `\\bcd\\s[^;&|\\n]*(?<![\\w.-])${own}[/\\\\]?["']?\\s*(?:&&|;|\\n)[^/]*?[\\s"'](?:\\./)?SKILL\\.md\\b`,
  );
  return inFolder.test(text) || afterGoing.test(text);
}
