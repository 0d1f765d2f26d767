import { fieldsOf, jsonText, textOf } from "../../models/dialects/fields.js";
import type { AgentEnd } from "../adapter.js";
import { statusIn } from "../error-status.js";

/** After steps with these reasons it goes on. */
const GOES_ON = new Set(["tool-calls", "unknown", ""]);

/** How a run ended with a step of this reason; null when it did not. */
export function endOfStep(reason: string): AgentEnd | null {
  if (GOES_ON.has(reason)) return null;
  if (reason === "length")
    return { kind: "stopped", reason: "truncated", message: "The model's answer reached its longest length." };
  if (reason === "content-filter")
    return { kind: "stopped", reason: "refused", message: "The model's answer was blocked by a content filter." };
  if (reason === "error") return { kind: "failed", message: "The model's answer ended with an error.", status: null };
  return { kind: "done" };
}

/** Errors that are limits of the agent or of its model, not something in their way. */
const STOPS: Readonly<Record<string, "truncated" | "refused">> = {
  MessageOutputLengthError: "truncated",
  ContextOverflowError: "truncated",
  ContentFilterError: "refused",
};

/** How a run ended with an error event, unless it goes on. */
export function endOfError(error: unknown): { end: AgentEnd; message: string } {
  const { name, data } = fieldsOf(error) ?? {};
  const { message: told, statusCode } = fieldsOf(data) ?? {};
  const message = textOf(told) || textOf(name) || jsonText(error) || "The program told of an error without a reason.";
  const reason = Object.hasOwn(STOPS, textOf(name)) ? STOPS[textOf(name)] : undefined;
  if (reason !== undefined) return { end: { kind: "stopped", reason, message }, message };
  const status = typeof statusCode === "number" ? statusCode : statusIn(message);
  return { end: { kind: "failed", message, status }, message };
}
