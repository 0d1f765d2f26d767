import { readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { ALL_AGENT_NAMES, findModelsFile, loadModels, type ModelEntry } from "../budget/index.js";
import { AssayError, EXAMPLE_MODELS } from "../core/index.js";
import { describeModelEnd, findCapabilities, type ModelIdentity } from "../models/index.js";
import { findConfig } from "./config-file.js";
import { searchFolder } from "./find-eval-modules.js";

/** A model that ended or ends soon, and where it is named. */
export interface EndingModel {
  /** `FILE:LINE`, or what names it. */
  readonly place: string;
  readonly model: string;
  /** The end of a sentence: when it ends, and what to use instead. */
  readonly text: string;
}

export interface ModelEndQuery {
  readonly dir: string;
  readonly now: Date;
  /** Default: that of the folder. */
  readonly modelsFile?: string | undefined;
}

/**
 * Finds models that ended or end soon in the models file, the config, the eval files and the experiments of a folder,
 * and among those that Assay uses where none is named. Files are only read, never run.
 */
export async function findEndingModels({ dir, now, modelsFile }: ModelEndQuery): Promise<EndingModel[]> {
  const found = findModelsFile(dir);
  const models = modelsFile ?? (found === undefined ? undefined : join(dir, found));
  const files = [...(await listConfigFiles(dir))].flatMap((file) => findModelsInText(file, { dir, now }));
  const listed = models === undefined ? [] : await findModelsInFile(models, { dir, now });
  const own = Object.values(EXAMPLE_MODELS).flatMap((model) => describeEnding(splitModel(model), "Assay's own", now));
  const byPlace = new Map([...listed, ...files, ...own].map((each) => [`${each.place} ${each.model}`, each]));
  return [...byPlace.values()];
}

async function listConfigFiles(dir: string): Promise<string[]> {
  const { findSpecs, listExperimentFiles } = await import("../evals/index.js");
  const specs = await ignoreUsageErrors(async () => findSpecs([dir]));
  const config = await ignoreUsageErrors(() => findConfig(dir));
  const experiments = await listExperimentFiles(dir);
  return [...(config === undefined ? [] : [config]), ...(specs ?? []), ...experiments, ...searchFolder(dir)];
}

/** What is wrong with a file is reported where it is used. */
async function ignoreUsageErrors<T>(read: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof AssayError) return undefined;
    throw error;
  }
}

async function findModelsInFile(file: string, { dir, now }: ModelEndQuery): Promise<EndingModel[]> {
  const models = await ignoreUsageErrors(() => loadModels(file));
  const lines = models === undefined ? [] : readLines(file);
  return [...(models?.models.values() ?? [])].flatMap((entry) => {
    const line = lines.findIndex((text) => isKeyLine(text, entry.name)) + 1;
    return describeEnding(identifyEntry(entry), `${relative(dir, file)}:${line}`, now);
  });
}

/** True for `name:`, with or without quotes, at the start of a line or after `{` or `,`. */
function isKeyLine(line: string, name: string): boolean {
  return line.split(/[{,]/).some((part) => /^\s*["']?(.*?)["']?\s*:(?:\s|$)/.exec(part)?.[1] === name);
}

/** A model behind an address of its own may be served by anyone. */
export function identifyEntry({ apiName, provider, baseUrl }: ModelEntry): ModelIdentity {
  return { model: apiName, provider: provider ?? (baseUrl === null ? null : "unknown") };
}

/** A word of a file that may name a model. */
const MODEL_WORD = /(?<![\w./@:-])[a-z][\w./@:-]*\d[\w./@:-]*/gi;
const AGENT_PREFIX = new RegExp(`^(?:${ALL_AGENT_NAMES.join("|")}):`);
const COMMENT = /^\s*(?:#|\/\/|\*|\/\*)/;

function findModelsInText(file: string, { dir, now }: ModelEndQuery): EndingModel[] {
  return readLines(file).flatMap((line, at) => {
    const words = COMMENT.test(line) ? [] : new Set(line.match(MODEL_WORD));
    // An agent and its model: `codex:gpt-6-sol`.
    const models = [...words].map((word) => word.replace(AGENT_PREFIX, ""));
    return models.flatMap((word) => describeEnding(splitModel(word), `${relative(dir, file)}:${at + 1}`, now));
  });
}

function readLines(file: string): string[] {
  return readFileSync(file, "utf8").split("\n");
}

/** `openai/gpt-6-sol`: provider and model. */
function splitModel(name: string): ModelIdentity {
  const slash = name.indexOf("/");
  return slash < 1 ? { model: name } : { provider: name.slice(0, slash), model: name.slice(slash + 1) };
}

function describeEnding(identity: ModelIdentity, place: string, now: Date): EndingModel[] {
  const ends = findCapabilities(identity)?.ends ?? null;
  const text = ends === null ? null : describeModelEnd(ends, now);
  return text === null ? [] : [{ place, model: identity.model, text }];
}
