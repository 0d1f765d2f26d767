import type { Finish } from "../../models/dialects/dialect.js";
import { type Fields, listOf, textOf } from "../../models/dialects/fields.js";
import type { AgentEnd } from "../adapter.js";

/** In the words of versions that give no status of its own. */
const STATUS = /\bAPI Error: (\d{3})\b/;

/** How a run ended, by its result and by how the model's last message did. The exit code says less. */
export function endOf(result: Fields, finish: Finish | null): AgentEnd {
  const message = messageIn(result);
  if (result.stop_reason === "refusal" || finish === "refused")
    return { kind: "stopped", reason: "refused", message: message || "The model declined to answer." };
  if (isLimit(result) || finish === "truncated")
    return { kind: "stopped", reason: "truncated", message: message || "The model's answer was cut off." };
  if (result.is_error === true || textOf(result.subtype).startsWith("error"))
    return { kind: "failed", message: message || "The run failed.", status: statusIn(result, message) };
  return { kind: "done" };
}

/** A limit on turns, on dollars or on the length of an answer, set for the program itself. */
function isLimit({ subtype, api_error: error }: Fields): boolean {
  return textOf(subtype).startsWith("error_max_") || error === "max_output_tokens";
}

function messageIn({ result, errors, subtype }: Fields): string {
  const text = textOf(result) || listOf(errors).map(textOf).filter(Boolean).join(" ");
  return text || (subtype === "success" ? "" : textOf(subtype));
}

function statusIn({ api_error_status: status }: Fields, message: string): number | null {
  if (typeof status === "number") return status;
  const [, digits] = STATUS.exec(message) ?? [];
  return digits === undefined ? null : Number(digits);
}
