import * as z from "zod";
import type { Graded, GraderFactory } from "../core/index.js";
import { formatList, makeBuiltInGrader, makeVerdict } from "./built-in-grader.js";
import { flag, flags, glob, nonEmptyText, pattern, readConfig } from "./config.js";
import { createFileFinder, readWorkspaceFile, requireWorkspace } from "./graded-workspace.js";
import { checkFlags, createPatternSearch, createTextSearch, type TextSearch } from "./text-search.js";

const containsConfig = z.strictObject({ path: glob, value: nonEmptyText, case_sensitive: flag.default(true) });
const matchesConfig = z.strictObject({ path: glob, pattern, flags: flags.default("") }).superRefine(checkFlags);

/** Graders that look for a string or a pattern in files: at least one matching file must contain it, or none may. */
export const fileTextGraders = {
  "file-contains": (config) => makeFileContainsGrader("file-contains", config, true),
  "file-not-contains": (config) => makeFileContainsGrader("file-not-contains", config, false),
  "file-matches": (config) => makeFileMatchesGrader("file-matches", config, true),
  "file-not-matches": (config) => makeFileMatchesGrader("file-not-matches", config, false),
} satisfies Record<string, GraderFactory>;

type FileTextConfig = Parameters<GraderFactory>[0];

function makeFileContainsGrader(name: string, config: FileTextConfig, isWanted: boolean) {
  const { path, value, case_sensitive } = readConfig(containsConfig, config);
  return makeFileTextGrader(name, { path, search: createTextSearch(value, case_sensitive), isWanted });
}

function makeFileMatchesGrader(name: string, config: FileTextConfig, isWanted: boolean) {
  const { path, pattern: given, flags: givenFlags } = readConfig(matchesConfig, config);
  return makeFileTextGrader(name, { path, search: createPatternSearch(given, givenFlags), isWanted });
}

interface FileSearch {
  path: string;
  search: TextSearch;
  isWanted: boolean;
}

function makeFileTextGrader(name: string, { path, search, isWanted }: FileSearch) {
  const find = createFileFinder(path);
  return makeBuiltInGrader({
    name,
    folderUse: "looks",
    grade: async (graded) => {
      const files = await find(graded);
      if (files.length === 0) return makeVerdict(!isWanted, `no file ${path}, so none contains ${search.wanted}`);
      const having = await filterMatchingFiles(graded, files, search);
      const found = having.length > 0 ? `is in ${formatList(having)}` : `is in none of ${formatList(files)}`;
      return makeVerdict(having.length > 0 === isWanted, `${search.wanted} ${found}`);
    },
  });
}

async function filterMatchingFiles(graded: Graded, files: readonly string[], search: TextSearch): Promise<string[]> {
  const having: string[] = [];
  for (const file of files) if (search.isIn(await readWorkspaceFile(requireWorkspace(graded), file))) having.push(file);
  return having;
}
