import type { CommandConfig, UrlConfig } from "./run-config.js";

/** A system that is a program or an address, not code. */
export type ProgramConfig = CommandConfig | UrlConfig;

/** True for an entry of `systems` or `evaluators` that names a command or an address. */
export function isProgramConfig(spec: unknown): spec is ProgramConfig {
  if (typeof spec !== "object" || spec === null || "process" in spec || "score" in spec) return false;
  return "command" in spec || "url" in spec;
}

export function isCommandConfig(spec: unknown): spec is CommandConfig {
  return isProgramConfig(spec) && "command" in spec;
}
