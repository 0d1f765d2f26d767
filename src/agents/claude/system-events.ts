import type { AgentHappening } from "../../core/trajectory.js";
import { type Fields, jsonText, textOf } from "../../models/dialects/fields.js";

/** What the program does for itself, or tells by other events as well. */
const QUIET = new Set([
  "status",
  "thinking_tokens",
  "background_tasks_changed",
  "task_started",
  "task_progress",
  "task_updated",
  "session_state_changed",
  "files_persisted",
  "hook_started",
  "hook_progress",
  "hook_response",
]);

/** What the program says of itself; null for something that is not known. */
export function systemHappenings(event: Fields): AgentHappening[] | null {
  const subtype = textOf(event.subtype);
  if (QUIET.has(subtype)) return [];
  if (subtype === "init") return [{ type: "system", text: introduction(event) }];
  if (subtype === "api_retry") return [{ type: "error", message: retryText(event) }];
  if (subtype === "compact_boundary") return [{ type: "system", text: "The conversation was shortened." }];
  if (subtype === "model_refusal_no_fallback") return [{ type: "system", text: "The model declined to answer." }];
  const text = textOf(event.content) || textOf(event.summary);
  return text === "" ? null : [{ type: "system", text }];
}

function introduction({ claude_code_version: version, model, permissionMode }: Fields): string {
  return `Claude Code ${textOf(version)}, model ${textOf(model)}, permissions ${textOf(permissionMode)}`;
}

function retryText({ attempt, max_retries: most, error_status: status, error }: Fields): string {
  const what = typeof status === "number" ? `status ${status}, ${textOf(error)}` : textOf(error);
  return `The model's endpoint failed (${what}); retry ${jsonText(attempt)} of ${jsonText(most)}.`;
}
