import { basename } from "node:path";
import type { NormalizedDocument } from "../key-aliases.js";
import { isRawMapping, type RawMapping } from "../raw-mapping.js";
import { convertEvalsJson } from "./evals-json.js";
import { convertScenarios } from "./scenarios.js";

/** The name of the eval files that skill-creator writes into the folder of a skill. */
const EVALS_JSON = "evals.json";

/** Rewrites the file of another harness as an eval file of ours; one of ours is returned as it is. */
export function convertForeignSpec(document: unknown, file: string): NormalizedDocument {
  if (isEvalsJson(document, file)) return convertEvalsJson(document, file);
  if (hasScenarios(document)) return convertScenarios(document, file);
  return { value: document, notes: [], problems: [], sourceOf: (path) => path };
}

function hasScenarios(document: unknown): document is RawMapping {
  return isRawMapping(document) && document.stimuli === undefined && Object.hasOwn(document, "scenarios");
}

/** Some files are only the list. */
function isEvalsJson(document: unknown, file: string): document is object {
  if (Array.isArray(document)) return basename(file) === EVALS_JSON;
  return isRawMapping(document) && document.stimuli === undefined && Object.hasOwn(document, "evals");
}
