import type { GraderFactory } from "../core/grader.js";
import type { Output } from "../core/system.js";
import { readConfig } from "./config.js";
import { quoted } from "./excerpt.js";
import { ownGrader, verdict } from "./own-grader.js";
import { patternConfig, searchPattern, searchText, substringConfig, type TextSearch } from "./text-search.js";

/** Graders that look for a string or a pattern in the answer. */
export const outputTextGraders = {
  "output-contains": (config) => contains("output-contains", config, true),
  "output-not-contains": (config) => contains("output-not-contains", config, false),
  "output-matches": (config) => matches("output-matches", config, true),
  "output-not-matches": (config) => matches("output-not-matches", config, false),
} satisfies Record<string, GraderFactory>;

type Config = Parameters<GraderFactory>[0];

function contains(name: string, config: Config, isWanted: boolean) {
  const { substring, case_sensitive } = readConfig(substringConfig, config);
  return textGrader(name, searchText(substring, case_sensitive), isWanted);
}

function matches(name: string, config: Config, isWanted: boolean) {
  const { pattern, flags } = readConfig(patternConfig, config);
  return textGrader(name, searchPattern(pattern, flags), isWanted);
}

function textGrader(name: string, search: TextSearch, isWanted: boolean) {
  return ownGrader({
    name,
    folderUse: "none",
    grade: ({ output }) => {
      const answer = answerOf(output);
      const isThere = search.isIn(answer);
      const found = `the answer ${isThere ? "has" : "does not have"} ${search.wanted}`;
      return verdict(isThere === isWanted, isThere === isWanted ? found : `${found}: ${quoted(answer)}`);
    },
  });
}

/** The answer; a missing one counts as empty. */
export function answerOf({ response }: Output): string {
  return typeof response === "string" ? response : "";
}
