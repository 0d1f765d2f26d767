import * as z from "zod";
import type { GraderFactory, Output } from "../core/index.js";
import { makeBuiltInGrader, makeVerdict } from "./built-in-grader.js";
import { readConfig } from "./config.js";
import { getAnswerText } from "./output-text.js";

const noConfig = z.strictObject({});

/** Graders of how the trial ended. */
export const completedGraders = {
  completed: (config) => {
    readConfig(noConfig, config);
    return makeBuiltInGrader({ name: "completed", folderUse: "none", grade: ({ output }) => gradeCompletion(output) });
  },
  "exit-success": (config) => {
    readConfig(noConfig, config);
    return makeBuiltInGrader({ name: "exit-success", folderUse: "none", grade: ({ output }) => gradeExitCode(output) });
  },
} satisfies Record<string, GraderFactory>;

/** A program that did nothing exits with success too, so an answer is required. */
function gradeCompletion(output: Output) {
  if (output.stopped !== undefined) return makeVerdict(false, `it did not finish: ${output.stopped}`);
  if (getAnswerText(output).trim() === "") return makeVerdict(false, "it finished without an answer");
  return makeVerdict(true, "it finished with an answer");
}

/** Uses the exit code of the program where it is known. */
function gradeExitCode(output: Output) {
  const code = output.metadata?.exitCode;
  return typeof code === "number"
    ? makeVerdict(code === 0, `the program exited with code ${code}`)
    : gradeCompletion(output);
}
