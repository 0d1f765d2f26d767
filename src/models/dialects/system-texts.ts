import type { ModelRequest } from "./dialect.js";

/** All instructions of a request, for dialects that hold them apart from the conversation. */
export function systemTexts({ system, messages }: ModelRequest): readonly string[] {
  const inside = messages.filter(({ role }) => role === "system").flatMap(({ parts }) => parts);
  return system === undefined ? inside : [system, ...inside];
}
