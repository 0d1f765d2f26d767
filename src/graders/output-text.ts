import type { GraderFactory, Output } from "../core/index.js";
import { makeBuiltInGrader, makeVerdict, quoteExcerpt } from "./built-in-grader.js";
import { readConfig } from "./config.js";
import {
  createPatternSearch,
  createTextSearch,
  patternConfig,
  substringConfig,
  type TextSearch,
} from "./text-search.js";

/** Graders that look for a string or a pattern in the answer. */
export const outputTextGraders = {
  "output-contains": (config) => makeOutputContainsGrader("output-contains", config, true),
  "output-not-contains": (config) => makeOutputContainsGrader("output-not-contains", config, false),
  "output-matches": (config) => makeOutputMatchesGrader("output-matches", config, true),
  "output-not-matches": (config) => makeOutputMatchesGrader("output-not-matches", config, false),
} satisfies Record<string, GraderFactory>;

type OutputTextConfig = Parameters<GraderFactory>[0];

function makeOutputContainsGrader(name: string, config: OutputTextConfig, isWanted: boolean) {
  const { substring, case_sensitive } = readConfig(substringConfig, config);
  return makeOutputTextGrader(name, createTextSearch(substring, case_sensitive), isWanted);
}

function makeOutputMatchesGrader(name: string, config: OutputTextConfig, isWanted: boolean) {
  const { pattern, flags } = readConfig(patternConfig, config);
  return makeOutputTextGrader(name, createPatternSearch(pattern, flags), isWanted);
}

function makeOutputTextGrader(name: string, search: TextSearch, isWanted: boolean) {
  return makeBuiltInGrader({
    name,
    folderUse: "none",
    grade: ({ output }) => {
      const answer = getAnswerText(output);
      const isThere = search.isIn(answer);
      const found = `the answer ${isThere ? search.verbs.found : search.verbs.missing} ${search.wanted}`;
      return makeVerdict(isThere === isWanted, isThere === isWanted ? found : `${found}: ${quoteExcerpt(answer)}`);
    },
  });
}

/** The answer; a missing one counts as empty. */
export function getAnswerText({ response }: Output): string {
  return typeof response === "string" ? response : "";
}
