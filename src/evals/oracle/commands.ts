import type { Example } from "../../core/example.js";

/** The commands that checking an example runs: those of its environment and those of its graders, also inside others. */
export function commandsOf({ environment, graders }: Example): string[] {
  const { commands = [] } = (environment ?? {}) as { commands?: readonly string[] };
  return [...commands, ...commandsIn(graders)];
}

function commandsIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(commandsIn);
  if (typeof value !== "object" || value === null) return [];
  const { command, args } = value as { command?: unknown; args?: unknown };
  const words = Array.isArray(args) ? args.map(String) : [];
  const own = typeof command === "string" ? [[command, ...words].join(" ")] : [];
  return [...own, ...Object.values(value).flatMap(commandsIn)];
}
