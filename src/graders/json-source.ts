import { stat } from "node:fs/promises";
import * as z from "zod";
import type { Graded, Output } from "../core/index.js";
import { path } from "./config.js";
import { readWorkspaceFile, requireWorkspace, resolveInside } from "./graded-workspace.js";
import { getAnswerText } from "./output-text.js";

/** Config keys for where a grader reads its JSON. */
export const jsonSourceConfig = {
  path: path.optional(),
  output: z.literal(true, "must be true, or left out").optional(),
};

/** A workspace file, or the system's answer. */
export interface JsonSource {
  readonly path?: string | undefined;
  readonly output?: true | undefined;
}

/** JSON text that can be parsed, or what is wrong with it. */
export type JsonResult = { readonly text: string } | { readonly problem: string };

export function checkJsonSource({ path: file, output }: JsonSource, context: z.RefinementCtx): void {
  if (file !== undefined && output !== undefined)
    context.addIssue({ code: "custom", message: "has both path and output: give one of them" });
}

/** Reads JSON from a workspace file. A missing or malformed file makes the trial fail; it is not a grader error. */
export async function readWorkspaceJson(graded: Graded, file: string): Promise<JsonResult> {
  const folder = requireWorkspace(graded);
  const real = await resolveInside(folder, file);
  if (real === null || !(await stat(real)).isFile()) return { problem: `no file ${file}` };
  const text = (await readWorkspaceFile(folder, file)).replace(/^\uFEFF/, "");
  const problem = findJsonProblem(text);
  return problem === null ? { text } : { problem: `${file} is not JSON: ${problem}` };
}

function findJsonProblem(text: string): string | null {
  if (text.trim() === "") return "it is empty";
  try {
    JSON.parse(text);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Reads an answer that is JSON and nothing else. */
export function readOutputJson(output: Output): JsonResult {
  const text = getAnswerText(output);
  const problem = findJsonProblem(text);
  return problem === null ? { text } : { problem: `the answer is not JSON: ${problem}` };
}

/** Extracts JSON from the answer, ignoring prose and code fences around it. */
export async function extractOutputJson(output: Output): Promise<JsonResult> {
  const { parseResponseValue } = await import("../evaluators/json-schema/value.js");
  const found = parseResponseValue(output, true);
  return found === null ? { problem: "the answer contains no JSON" } : { text: JSON.stringify(found.value) };
}
