import type { Environment } from "../core/environment.js";
import { DatasetError } from "../core/errors.js";
import { describe } from "../core/shape.js";
import { didYouMean } from "../core/suggest.js";
import { problemWithPath } from "./relative-path.js";

type Fields = Readonly<Record<string, unknown>>;

const KEYS = ["git", "files", "commands", "env"];
const GIT_KEYS = ["url", "ref"];
const FILE_KEYS = ["src", "dest", "content", "encoding", "executable"];

/** Of skill evals: known, so that they are neither guessed at nor passed over. */
const NOT_YET = new Set(["skills", "mcpServers"]);

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Throws unless the value is an environment, and says which key is wrong and how. */
export function checkEnvironment(value: unknown): Environment {
  const environment = fieldsOf("environment", value);
  const later = Object.keys(environment).find((key) => NOT_YET.has(key));
  if (later !== undefined) throw new DatasetError(`environment.${later} is not supported yet. Take it out.`);
  onlyKeys("environment", environment, KEYS);
  const { git, files, commands, env } = environment;
  if (git !== undefined) checkGit(git);
  if (files !== undefined) listOf("environment.files", files).forEach(checkFile);
  if (commands !== undefined) listOf("environment.commands", commands).forEach(checkCommand);
  if (env !== undefined) checkEnv(env);
  return environment;
}

function checkGit(value: unknown): void {
  const git = fieldsOf("environment.git", value);
  onlyKeys("environment.git", git, GIT_KEYS);
  gitWord("environment.git.url", git.url);
  if (git.ref !== undefined) gitWord("environment.git.ref", git.ref);
}

/** What begins with a dash would be an option to git. */
function gitWord(at: string, value: unknown): void {
  if (filledText(at, value).startsWith("-")) {
    throw new DatasetError(`${at} is ${JSON.stringify(value)}, which begins with a dash. Name it without one.`);
  }
}

function checkFile(value: unknown, index: number): void {
  const at = `environment.files[${index}]`;
  const file = fieldsOf(at, value);
  onlyKeys(at, file, FILE_KEYS);
  innerPath(`${at}.dest`, file.dest);
  if (file.src !== undefined) checkSource(at, file);
  else checkContent(at, file);
}

function checkSource(at: string, file: Fields): void {
  innerPath(`${at}.src`, file.src);
  const extra = ["content", "encoding", "executable"].find((key) => key in file);
  if (extra === undefined) return;
  throw new DatasetError(`${at} has both src and ${extra}. Give a src alone, or the content itself.`);
}

function checkContent(at: string, file: Fields): void {
  const { dest, content, encoding, executable } = file;
  if (content === undefined) throw new DatasetError(`${at} has neither src nor content. Give it one of them.`);
  const text = textOf(`${at}.content`, content);
  if (isFolderName(String(dest))) {
    throw new DatasetError(`${at}.dest is ${JSON.stringify(dest)}, which names a folder. Name the file in it.`);
  }
  if (encoding !== undefined && encoding !== "base64") {
    throw new DatasetError(`${at}.encoding is ${describe(encoding)}. It may be "base64", or absent for text.`);
  }
  if (encoding === "base64" && !BASE64.test(text)) {
    throw new DatasetError(`${at}.content is not base64. Encode it, or leave out the encoding for text.`);
  }
  if (executable !== undefined && typeof executable !== "boolean") {
    throw new DatasetError(`${at}.executable is ${describe(executable)}, neither true nor false.`);
  }
}

/** True when a file put there keeps its own name. */
export function isFolderName(dest: string): boolean {
  return dest.endsWith("/") || dest.split("/").at(-1) === ".";
}

function checkCommand(value: unknown, index: number): void {
  filledText(`environment.commands[${index}]`, value);
}

function checkEnv(value: unknown): void {
  for (const [name, text] of Object.entries(fieldsOf("environment.env", value))) {
    if (!/^[^=\0]+$/.test(name)) {
      throw new DatasetError(`environment.env has the name ${JSON.stringify(name)}, which no variable can have.`);
    }
    if (typeof text !== "string") {
      throw new DatasetError(`environment.env.${name} is ${describe(text)}, not text. Put it in quotes.`);
    }
    withoutNull(`environment.env.${name}`, text);
  }
}

function innerPath(at: string, value: unknown): void {
  const problem = problemWithPath(textOf(at, value));
  if (problem === null) return;
  throw new DatasetError(`${at} is ${JSON.stringify(value)}, which ${problem}. Name a path below the folder.`);
}

function filledText(at: string, value: unknown): string {
  const text = withoutNull(at, textOf(at, value));
  if (text.trim() === "") throw new DatasetError(`${at} is empty. Fill it in, or take it out.`);
  return text;
}

function withoutNull(at: string, text: string): string {
  if (text.includes("\0")) throw new DatasetError(`${at} has a null character, which no program can be given.`);
  return text;
}

function textOf(at: string, value: unknown): string {
  if (typeof value !== "string") throw new DatasetError(`${at} is ${describe(value)}, not text.`);
  return value;
}

function listOf(at: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new DatasetError(`${at} is ${describe(value)}, not a list.`);
  return value;
}

function fieldsOf(at: string, value: unknown): Fields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields;
  throw new DatasetError(`${at} is ${describe(value)}, not an object.`);
}

function onlyKeys(at: string, fields: Fields, keys: readonly string[]): void {
  const unknown = Object.keys(fields).find((key) => !keys.includes(key));
  if (unknown !== undefined)
    throw new DatasetError(`${at} has an unknown key "${unknown}".${didYouMean(unknown, keys)}`);
}
