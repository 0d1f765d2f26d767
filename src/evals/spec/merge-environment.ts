import type { Environment } from "../../core/environment.js";

/**
 * An environment with another one added to it: lists follow one another, of equal names the added one counts, and its
 * repository stands in the other's place. An added list of skills that is empty takes the others away.
 * @example
 * mergeEnvironments({ commands: ["npm ci"] }, { commands: ["npm run build"] }); // { commands: ["npm ci", "npm run build"] }
 */
export function mergeEnvironments(base: Environment, added: Environment): Environment {
  const git = added.git ?? base.git;
  return {
    ...(git !== undefined && { git }),
    ...joined("files", base, added),
    ...joined("commands", base, added),
    ...overlaid("env", base, added),
    ...joined("skills", takesSkillsAway(base, added) ? {} : base, added),
    ...overlaid("mcpServers", base, added),
  };
}

/** Whether an environment that is added has a list of skills that is empty, where there were some. */
export function takesSkillsAway(base: Environment, added: Environment): boolean {
  return added.skills?.length === 0 && (base.skills ?? []).length > 0;
}

/** What both name is there once, so that a skill is not offered twice. */
function joined(key: "files" | "commands" | "skills", base: Environment, added: Environment): Environment {
  const [first, second] = [base[key], added[key]];
  if (first === undefined && second === undefined) return {};
  const all: readonly unknown[] = [...(first ?? []), ...(second ?? [])];
  return { [key]: key === "skills" ? [...new Set(all)] : all };
}

function overlaid(key: "env" | "mcpServers", base: Environment, added: Environment): Environment {
  const [first, second] = [base[key], added[key]];
  return first === undefined && second === undefined ? {} : { [key]: { ...first, ...second } };
}
