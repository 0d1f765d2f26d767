import type { GraderFactory } from "../core/index.js";
import { makeBuiltInGrader, makeVerdict } from "./built-in-grader.js";
import { readConfig } from "./config.js";
import { GraderError } from "./grader-error.js";
import { createTextSearch, substringConfig } from "./text-search.js";
import { hasHiddenTools, listTranscriptTexts } from "./trajectory.js";

/** Graders that look for a string in what the agent said, and in the arguments and results of its tools. */
export const transcriptGraders = {
  "transcript-contains": (config) => makeTranscriptGrader("transcript-contains", config, true),
  "transcript-not-contains": (config) => makeTranscriptGrader("transcript-not-contains", config, false),
} satisfies Record<string, GraderFactory>;

function makeTranscriptGrader(name: string, config: Parameters<GraderFactory>[0], isWanted: boolean) {
  const { substring, case_sensitive } = readConfig(substringConfig, config);
  const search = createTextSearch(substring, case_sensitive);
  return makeBuiltInGrader({
    name,
    folderUse: "none",
    grade: ({ output }) => {
      if (output.trajectory === undefined && output.response === undefined)
        throw new GraderError("the output has neither a trajectory nor a response");
      const texts = listTranscriptTexts(output);
      const count = texts.filter((text) => search.isIn(text)).length;
      if (count === 0 && hasHiddenTools(output))
        throw new GraderError(`${search.wanted} is in none of ${texts.length} texts, but tool calls are not shown`);
      const where = count === 0 ? "in none" : `in ${count}`;
      return makeVerdict(
        count > 0 === isWanted,
        `${search.wanted} is ${where} of ${texts.length} texts of the transcript`,
      );
    },
  });
}
