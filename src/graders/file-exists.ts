import * as z from "zod";
import type { GraderFactory } from "../core/index.js";
import { formatList, makeBuiltInGrader, makeVerdict } from "./built-in-grader.js";
import { glob, readConfig } from "./config.js";
import { createFileFinder } from "./graded-workspace.js";

const schema = z.strictObject({ path: glob });

/** Graders that check whether a file exists. */
export const fileExistsGraders = {
  "file-exists": (config) => makeFileExistsGrader("file-exists", config, true),
  "file-not-exists": (config) => makeFileExistsGrader("file-not-exists", config, false),
} satisfies Record<string, GraderFactory>;

function makeFileExistsGrader(name: string, config: Parameters<GraderFactory>[0], isWanted: boolean) {
  const { path } = readConfig(schema, config);
  const find = createFileFinder(path);
  return makeBuiltInGrader({
    name,
    folderUse: "looks",
    grade: async (graded) => {
      const files = await find(graded);
      const found = files.length === 0 ? `no file ${path}` : `there is ${formatList(files)}`;
      return makeVerdict(files.length > 0 === isWanted, found);
    },
  });
}
