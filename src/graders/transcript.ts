import type { GraderFactory } from "../core/grader.js";
import { readConfig } from "./config.js";
import { GraderError } from "./grader-error.js";
import { ownGrader, verdict } from "./own-grader.js";
import { searchText, substringConfig } from "./text-search.js";
import { hidesTools, textsOf } from "./trajectory.js";

/** Graders that look for a string in what the agent said, and in the arguments and results of its tools. */
export const transcriptGraders = {
  "transcript-contains": (config) => transcript("transcript-contains", config, true),
  "transcript-not-contains": (config) => transcript("transcript-not-contains", config, false),
} satisfies Record<string, GraderFactory>;

function transcript(name: string, config: Parameters<GraderFactory>[0], isWanted: boolean) {
  const { substring, case_sensitive } = readConfig(substringConfig, config);
  const search = searchText(substring, case_sensitive);
  return ownGrader({
    name,
    folderUse: "none",
    grade: ({ output }) => {
      if (output.trajectory === undefined && output.response === undefined)
        throw new GraderError("the output has neither a trajectory nor a response");
      const texts = textsOf(output);
      const count = texts.filter((text) => search.isIn(text)).length;
      if (count === 0 && hidesTools(output))
        throw new GraderError(`${search.wanted} is in none of ${texts.length} texts, but tool calls are not shown`);
      const where = count === 0 ? "in none" : `in ${count}`;
      return verdict(count > 0 === isWanted, `${search.wanted} is ${where} of ${texts.length} texts of the transcript`);
    },
  });
}
