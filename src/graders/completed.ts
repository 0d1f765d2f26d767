import * as z from "zod";
import type { GraderFactory } from "../core/grader.js";
import type { Output } from "../core/system.js";
import { readConfig } from "./config.js";
import { answerOf } from "./output-text.js";
import { ownGrader, verdict } from "./own-grader.js";

const noConfig = z.strictObject({});

/** Graders of how the work ended. */
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

/** It came to an end of its own and said something; a program that did nothing ends well, too. */
function ended(output: Output) {
  if (output.stopped !== undefined) return verdict(false, `it did not end by itself: ${output.stopped}`);
  if (answerOf(output).trim() === "") return verdict(false, "it ended without an answer");
  return verdict(true, "it ended by itself, with an answer");
}

/** By the code that the program ended with, where one is known. */
function exited(output: Output) {
  const code = output.metadata?.exitCode;
  return typeof code === "number" ? verdict(code === 0, `the program ended with exit code ${code}`) : ended(output);
}
