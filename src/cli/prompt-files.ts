import { normalize } from "node:path";
import { findMatchingFiles, isGlob } from "../graders/index.js";
import { getPromptName, Prompt, PromptError, readPrompt } from "../systems/index.js";
import type { PromptConfig, RunConfig } from "./run-config.js";

type GivenPrompts = NonNullable<RunConfig["prompts"]>;

/** Reads the prompts of a run, or of one of its models: files, patterns, and texts. */
export async function openPrompts(given: GivenPrompts): Promise<Prompt[]> {
  const wanted: PromptConfig[] = [];
  for (const one of given) wanted.push(...(typeof one === "string" ? await findPromptFiles(one) : [one]));
  requireDistinctFiles(wanted);
  const names = namePrompts(wanted);
  const prompts: Prompt[] = [];
  for (const [index, { file, template }] of wanted.entries()) {
    const name = names[index] ?? "";
    prompts.push(template === undefined ? await readPrompt(file ?? "", { name }) : new Prompt({ name, template }));
  }
  requireUniqueNames(prompts);
  return prompts;
}

/** Braces of a template that was given in place of a file. */
const TEMPLATE_BRACES = /\{\{.*\}\}/s;

async function findPromptFiles(path: string): Promise<PromptConfig[]> {
  if (TEMPLATE_BRACES.test(path))
    throw new PromptError(
      `A prompt is a file, but ${JSON.stringify(path)} is a text. Save it as a file, or write prompts: [{ name: …, template: … }] in the config.`,
    );
  if (!isGlob(path)) return [{ file: path }];
  const files = await findMatchingFiles(path);
  if (files.length === 0) throw new PromptError(`No prompt file matches ${path}. Check the pattern and the folder.`);
  return files.map((file) => ({ file }));
}

/** Files of the same name in different folders keep their path. */
function namePrompts(wanted: readonly PromptConfig[]): string[] {
  const short = wanted.map(({ name, file = "" }) => name ?? getPromptName(file));
  return wanted.map(({ name, file = "" }, index) => {
    const own = short[index] ?? "";
    const isTaken = short.filter((other) => other === own).length > 1;
    return name === undefined && isTaken ? file.replace(/^\.\//, "").replace(/\.[^./]*$/, "") : own;
  });
}

/** Also a pattern may find a file that is named as well. */
function requireDistinctFiles(wanted: readonly PromptConfig[]): void {
  const files = wanted.flatMap(({ name, file }) => (name === undefined && file !== undefined ? [normalize(file)] : []));
  const twice = files.find((file, index) => files.indexOf(file) !== index);
  if (twice !== undefined) throw new PromptError(`The prompt ${twice} is given twice. Name it once.`);
}

function requireUniqueNames(prompts: readonly Prompt[]): void {
  const names = prompts.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined)
    throw new PromptError(`Two prompts are named "${twice}". Give one another name: { name: …, file: … }.`);
}
