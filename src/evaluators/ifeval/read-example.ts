import type { Example } from "../../core/example.js";
import type { IFEvalInstruction } from "./instructions.js";

/** Returns a message if the instructions cannot be read. */
export function readInstructions(example: Example): IFEvalInstruction[] | string {
  const ids = parseIfJson(example.instruction_id_list ?? example.instruction_ids);
  if (ids === undefined || ids === null) return "the example has no instruction_id_list";
  if (!isStringArray(ids) || ids.length === 0) return "instruction_id_list is not a list of instruction ids";
  const kwargs = parseIfJson(example.kwargs) ?? [];
  if (!Array.isArray(kwargs)) return "kwargs is not a list with the arguments of each instruction";
  return ids.map((id, place) => ({ id, args: readKwargs(kwargs[place]) }));
}

/** Untyped files such as CSV hold lists as JSON. */
function parseIfJson(value: unknown): unknown {
  if (typeof value !== "string") return value;
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

function isStringArray(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}

/** Without nulls, which some copies of the dataset use for arguments that an instruction does not have. */
function readKwargs(value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(Object.entries(value).filter(([, argument]) => argument !== null));
}
