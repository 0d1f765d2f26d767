import { existsSync } from "node:fs";
import { join } from "node:path";

/** What a models file is called when nobody says. */
export const MODELS_FILES = ["models.yml", "models.yaml"] as const;

/** The models file of a folder, by its name in it; undefined when there is none. */
export function findModelsFile(dir = "."): string | undefined {
  return MODELS_FILES.find((name) => existsSync(join(dir, name)));
}
