import type { Environment } from "../core/environment.js";

/**
 * An environment with another one added to it: lists follow one another, of equal names the added one counts, and its
 * repository stands in the other's place.
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
    ...joined("skills", base, added),
    ...overlaid("mcpServers", base, added),
  };
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
