import type { AgentEnd } from "../adapter.js";

const STATUS = /\b(?:unexpected status|last status:) (\d{3})\b/;
const INCOMPLETE = /\bIncomplete response returned, reason: (\w+)/;

/** How a run ended that says it failed. It has no fields for why: only its words tell. */
export function failureOf(message: string): AgentEnd {
  const [, reason] = INCOMPLETE.exec(message) ?? [];
  if (reason === "max_output_tokens") return { kind: "stopped", reason: "truncated", message };
  if (reason === "content_filter") return { kind: "stopped", reason: "refused", message };
  const [, digits] = STATUS.exec(message) ?? [];
  return { kind: "failed", message, status: digits === undefined ? null : Number(digits) };
}
