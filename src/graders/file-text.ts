import * as z from "zod";
import type { Graded, GraderFactory } from "../core/grader.js";
import { filled, flag, flags, glob, pattern, readConfig } from "./config.js";
import { listed } from "./excerpt.js";
import { ownGrader, verdict } from "./own-grader.js";
import { checkFlags, searchPattern, searchText, type TextSearch } from "./text-search.js";
import { fileFinder, folderOf, textOfFile } from "./workspace-files.js";

const containsConfig = z.strictObject({ path: glob, value: filled, case_sensitive: flag.default(true) });
const matchesConfig = z.strictObject({ path: glob, pattern, flags: flags.default("") }).superRefine(checkFlags);

/** Graders that look for a string or a pattern in files: at least one matching file must contain it, or none may. */
export const fileTextGraders = {
  "file-contains": (config) => contains("file-contains", config, true),
  "file-not-contains": (config) => contains("file-not-contains", config, false),
  "file-matches": (config) => matches("file-matches", config, true),
  "file-not-matches": (config) => matches("file-not-matches", config, false),
} satisfies Record<string, GraderFactory>;

type Config = Parameters<GraderFactory>[0];

function contains(name: string, config: Config, isWanted: boolean) {
  const { path, value, case_sensitive } = readConfig(containsConfig, config);
  return fileGrader(name, { path, search: searchText(value, case_sensitive), isWanted });
}

function matches(name: string, config: Config, isWanted: boolean) {
  const { path, pattern: given, flags: givenFlags } = readConfig(matchesConfig, config);
  return fileGrader(name, { path, search: searchPattern(given, givenFlags), isWanted });
}

interface FileSearch {
  path: string;
  search: TextSearch;
  isWanted: boolean;
}

function fileGrader(name: string, { path, search, isWanted }: FileSearch) {
  const find = fileFinder(path);
  return ownGrader({
    name,
    folderUse: "looks",
    grade: async (graded) => {
      const files = await find(graded);
      if (files.length === 0) return verdict(!isWanted, `no file ${path}, so none contains ${search.wanted}`);
      const having = await filesWith(graded, files, search);
      const found = having.length > 0 ? `is in ${listed(having)}` : `is in none of ${listed(files)}`;
      return verdict(having.length > 0 === isWanted, `${search.wanted} ${found}`);
    },
  });
}

async function filesWith(graded: Graded, files: readonly string[], search: TextSearch): Promise<string[]> {
  const having: string[] = [];
  for (const file of files) if (search.isIn(await textOfFile(folderOf(graded), file))) having.push(file);
  return having;
}
