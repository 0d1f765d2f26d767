import { readFileSync } from "node:fs";
import { findPackageFile } from "../utils/index.js";

const packageJson = JSON.parse(readFileSync(findPackageFile("package.json"), "utf8")) as {
  version: string;
};

/** The version of this package. */
export const VERSION = packageJson.version;
