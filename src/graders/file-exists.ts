import * as z from "zod";
import type { GraderFactory } from "../core/grader.js";
import { glob, readConfig } from "./config.js";
import { listed } from "./excerpt.js";
import { ownGrader, verdict } from "./own-grader.js";
import { fileFinder } from "./workspace-files.js";

const schema = z.strictObject({ path: glob });

/** Graders that check whether a file exists. */
export const fileExistsGraders = {
  "file-exists": (config) => exists("file-exists", config, true),
  "file-not-exists": (config) => exists("file-not-exists", config, false),
} satisfies Record<string, GraderFactory>;

function exists(name: string, config: Parameters<GraderFactory>[0], isWanted: boolean) {
  const { path } = readConfig(schema, config);
  const find = fileFinder(path);
  return ownGrader({
    name,
    folderUse: "looks",
    grade: async (graded) => {
      const files = await find(graded);
      const found = files.length === 0 ? `no file ${path}` : `there is ${listed(files)}`;
      return verdict(files.length > 0 === isWanted, found);
    },
  });
}
