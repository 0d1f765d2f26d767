import type { Environment, OfferedSkill } from "../../core/environment.js";
import { DatasetError } from "../../core/errors.js";
import { describe } from "../../core/shape.js";
import { didYouMean } from "../../core/suggest.js";
import { problemWithSkillName, SKILL_FILE } from "../skills/read-skill.js";
import { problemWithPath } from "./relative-path.js";

const KEYS = ["git", "files", "commands", "env", "skills", "mcpServers"];
const GIT_KEYS = ["url", "ref"];

/** Throws when the value is not a valid environment, and names the wrong key. */
export function checkEnvironment(value: unknown): Environment {
  const environment = fieldsOf("environment", value);
  onlyKeys("environment", environment, KEYS);
  const { git, files, commands, env, skills, mcpServers } = environment;
  if (git !== undefined) checkGit(git);
  if (files !== undefined) listOf("environment.files", files).forEach(checkFileAt);
  if (commands !== undefined) listOf("environment.commands", commands).forEach(checkCommand);
  if (env !== undefined) checkVariables("environment.env", env);
  if (skills !== undefined) checkSkills("environment.skills", skills);
  if (mcpServers !== undefined) checkServers("environment.mcpServers", mcpServers);
  return environment;
}

function checkGit(value: unknown): void {
  const git = fieldsOf("environment.git", value);
  onlyKeys("environment.git", git, GIT_KEYS);
  gitWord("environment.git.url", git.url);
  if (git.ref !== undefined) gitWord("environment.git.ref", git.ref);
}

/** A value that begins with a dash would be an option to git. */
function gitWord(at: string, value: unknown): void {
  if (filledText(at, value).startsWith("-")) {
    throw new DatasetError(`${at} is ${JSON.stringify(value)}, which begins with a dash. Use a name without one.`);
  }
}

function checkFileAt(value: unknown, index: number): void {
  checkFile(`environment.files[${index}]`, value);
}

function checkCommand(value: unknown, index: number): void {
  filledText(`environment.commands[${index}]`, value);
}

// Shared checks. `at` is the path of the value in messages.

type Fields = Readonly<Record<string, unknown>>;

function innerPath(at: string, value: unknown): void {
  const problem = problemWithPath(textOf(at, value));
  if (problem === null) return;
  throw new DatasetError(`${at} is ${JSON.stringify(value)}, which ${problem}. Use a path inside the folder.`);
}

function filledText(at: string, value: unknown): string {
  const text = withoutNull(at, textOf(at, value));
  if (text.trim() === "") throw new DatasetError(`${at} is empty. Fill it in, or remove it.`);
  return text;
}

function withoutNull(at: string, text: string): string {
  if (text.includes("\0")) throw new DatasetError(`${at} has a null character, which cannot be passed to a program.`);
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

/** Checks environment variables: texts by valid variable names. */
function checkVariables(at: string, value: unknown): void {
  for (const [name, text] of Object.entries(fieldsOf(at, value))) {
    if (!/^[^=\0]+$/.test(name)) {
      throw new DatasetError(`${at} has the name ${JSON.stringify(name)}, which is not a valid variable name.`);
    }
    if (typeof text !== "string") {
      throw new DatasetError(`${at}.${name} is ${describe(text)}, not text. Put it in quotes.`);
    }
    withoutNull(`${at}.${name}`, text);
  }
}

const FILE_KEYS = ["src", "dest", "content", "encoding", "executable"];

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Checks a file of an environment, with its content or with a source. */
function checkFile(at: string, value: unknown): void {
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
  throw new DatasetError(`${at} has both src and ${extra}. Give only src, or the content itself.`);
}

function checkContent(at: string, file: Fields): void {
  const { dest, content, encoding, executable } = file;
  if (content === undefined) throw new DatasetError(`${at} has neither src nor content. Give it one of them.`);
  const text = textOf(`${at}.content`, content);
  if (isFolderName(String(dest))) {
    throw new DatasetError(`${at}.dest is ${JSON.stringify(dest)}, which names a folder. Name the file in it.`);
  }
  if (encoding !== undefined && encoding !== "base64") {
    throw new DatasetError(`${at}.encoding is ${describe(encoding)}. Use "base64", or omit it for text.`);
  }
  if (encoding === "base64" && !BASE64.test(text)) {
    throw new DatasetError(`${at}.content is not base64. Encode it, or omit the encoding for text.`);
  }
  if (executable !== undefined && typeof executable !== "boolean") {
    throw new DatasetError(`${at}.executable is ${describe(executable)}, not true or false.`);
  }
}

/** True when a file copied there keeps its own name. */
export function isFolderName(dest: string): boolean {
  return dest.endsWith("/") || dest.split("/").at(-1) === ".";
}

const PROGRAM_KEYS = ["command", "args", "env"];
const ADDRESS_KEYS = ["url", "headers"];

/** Server names become names of settings and tools, which allow nothing else. */
const SERVER_NAME = /^[A-Za-z0-9_-]+$/;

/** Checks a list of skills: folders, or skills with their files. */
function checkSkills(at: string, value: unknown): void {
  const skills = listOf(at, value);
  for (const [index, skill] of skills.entries()) checkSkill(`${at}[${index}]`, skill);
  requireDistinct(at, skills.filter(isOffered));
}

function checkSkill(at: string, value: unknown): void {
  if (typeof value === "string") return void filledText(at, value);
  const skill = fieldsOf(at, value);
  onlyKeys(at, skill, ["name", "files"]);
  const problem = problemWithSkillName(textOf(`${at}.name`, skill.name));
  if (problem !== null) throw new DatasetError(`${at}.name: ${JSON.stringify(skill.name)} ${problem}.`);
  const files = listOf(`${at}.files`, skill.files);
  for (const [index, file] of files.entries()) checkSkillFile(`${at}.files[${index}]`, file);
  if (!files.some((file) => (file as Fields).dest === SKILL_FILE))
    throw new DatasetError(`${at}.files has no ${SKILL_FILE}. Every skill needs one at its top level.`);
}

function checkSkillFile(at: string, value: unknown): void {
  checkFile(at, value);
  if ("src" in (value as Fields))
    throw new DatasetError(`${at} has a src. Give its content, or name the skill's folder instead.`);
}

function isOffered(skill: unknown): skill is OfferedSkill {
  return typeof skill === "object" && skill !== null;
}

/** Skills with the same name would overwrite each other. Some file systems ignore case. */
export function requireDistinct(at: string, skills: readonly OfferedSkill[]): void {
  const names = new Set<string>();
  for (const { name } of skills) {
    if (names.has(name.toLowerCase()))
      throw new DatasetError(`${at} has two skills named "${name}". Remove or rename one of them.`);
    names.add(name.toLowerCase());
  }
}

/** Checks MCP servers by name: programs or URLs. */
function checkServers(at: string, value: unknown): void {
  for (const [name, server] of Object.entries(fieldsOf(at, value))) {
    if (!SERVER_NAME.test(name))
      throw new DatasetError(
        `${at} has the name ${JSON.stringify(name)}. Use letters, digits, hyphens and underscores.`,
      );
    checkServer(`${at}.${name}`, fieldsOf(`${at}.${name}`, server));
  }
}

function checkServer(at: string, server: Fields): void {
  if ((server.command === undefined) === (server.url === undefined))
    throw new DatasetError(`${at} needs either a command that starts the server, or the url of a running one.`);
  if (server.url === undefined) checkProgram(at, server);
  else checkAddress(at, server);
}

function checkProgram(at: string, server: Fields): void {
  const { command, args = [], env = {} } = server;
  onlyKeys(at, server, PROGRAM_KEYS);
  filledText(`${at}.command`, command);
  for (const [index, word] of listOf(`${at}.args`, args).entries()) textOf(`${at}.args[${index}]`, word);
  checkVariables(`${at}.env`, env);
}

function checkAddress(at: string, server: Fields): void {
  const { url, headers = {} } = server;
  onlyKeys(at, server, ADDRESS_KEYS);
  const address = filledText(`${at}.url`, url);
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address))
    throw new DatasetError(`${at}.url is ${JSON.stringify(url)}. Use a URL that begins with http:// or https://.`);
  checkVariables(`${at}.headers`, headers);
}
