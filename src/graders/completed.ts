import * as z from "zod";
import type { GraderFactory } from "../core/grader.js";
import type { Output } from "../core/system.js";
import { readConfig } from "./config.js";
import { answerOf } from "./output-text.js";
import { ownGrader, verdict } from "./own-grader.js";

const noConfig = z.strictObject({});

/** Graders of how the trial ended. */
export const completedGraders = {
  completed: (config) => {
    readConfig(noConfig, config);
    return ownGrader({ name: "completed", folderUse: "none", grade: ({ output }) => ended(output) });
  },
  "exit-success": (config) => {
    readConfig(noConfig, config);
    return ownGrader({ name: "exit-success", folderUse: "none", grade: ({ output }) => exited(output) });
  },
} satisfies Record<string, GraderFactory>;

/** A program that did nothing exits with success too, so an answer is required. */
function ended(output: Output) {
  if (output.stopped !== undefined) return verdict(false, `it did not finish: ${output.stopped}`);
  if (answerOf(output).trim() === "") return verdict(false, "it finished without an answer");
  return verdict(true, "it finished with an answer");
}

/** Uses the exit code of the program where it is known. */
function exited(output: Output) {
  const code = output.metadata?.exitCode;
  return typeof code === "number" ? verdict(code === 0, `the program exited with code ${code}`) : ended(output);
}
