import type { Environment, OfferedSkill } from "../../core/index.js";
import { DatasetError, describeValue, didYouMean } from "../../core/index.js";
import { findSkillNameProblem, SKILL_FILE } from "../skills/read-skill.js";
import { findRelativePathProblem } from "./relative-path.js";

/** Keys that identify an `environment` as an agent's workspace rather than an unrelated column. */
export const ENVIRONMENT_KEYS: readonly string[] = [
  "git",
  "files",
  "commands",
  "env",
  "skills",
  "mcpServers",
  "image",
  "dockerfile",
  "workdir",
  "limits",
  "guaranteed",
];
const GIT_KEYS = ["url", "ref"];

/** Throws when the value is not a valid environment, and names the wrong key. */
export function checkEnvironment(value: unknown): Environment {
  const environment = requireEnvironmentFields("environment", value);
  checkEnvironmentKeys("environment", environment, ENVIRONMENT_KEYS);
  const { git, files, commands, env, skills, mcpServers, limits, guaranteed } = environment;
  if (git !== undefined) checkGit(git);
  if (files !== undefined) requireEnvironmentList("environment.files", files).forEach(checkFileEntry);
  if (commands !== undefined) requireEnvironmentList("environment.commands", commands).forEach(checkSetUpCommand);
  if (env !== undefined) checkVariables("environment.env", env);
  if (skills !== undefined) checkSkills("environment.skills", skills);
  if (mcpServers !== undefined) checkMcpServers("environment.mcpServers", mcpServers);
  checkImage(environment);
  if (limits !== undefined) checkAmounts("environment.limits", limits, LIMIT_NAMES);
  if (guaranteed !== undefined) checkAmounts("environment.guaranteed", guaranteed, GUARANTEED_NAMES);
  return environment;
}

function checkGit(value: unknown): void {
  const git = requireEnvironmentFields("environment.git", value);
  checkEnvironmentKeys("environment.git", git, GIT_KEYS);
  checkGitWord("environment.git.url", git.url);
  if (git.ref !== undefined) checkGitWord("environment.git.ref", git.ref);
}

/** A value that begins with a dash would be an option to git. */
function checkGitWord(at: string, value: unknown): void {
  if (requireNonEmptyText(at, value).startsWith("-")) {
    throw new DatasetError(`${at} is ${JSON.stringify(value)}, which begins with a dash. Use a name without one.`);
  }
}

function checkFileEntry(value: unknown, index: number): void {
  checkEnvironmentFile(`environment.files[${index}]`, value);
}

function checkSetUpCommand(value: unknown, index: number): void {
  requireNonEmptyText(`environment.commands[${index}]`, value);
}

// Shared checks. `at` is the path of the value in messages.

type EnvironmentFields = Readonly<Record<string, unknown>>;

function checkInnerPath(at: string, value: unknown): void {
  const problem = findRelativePathProblem(requireEnvironmentText(at, value));
  if (problem === null) return;
  throw new DatasetError(`${at} is ${JSON.stringify(value)}, which ${problem}. Use a path inside the folder.`);
}

function requireNonEmptyText(at: string, value: unknown): string {
  const text = requireNoNull(at, requireEnvironmentText(at, value));
  if (text.trim() === "") throw new DatasetError(`${at} is empty. Fill it in, or remove it.`);
  return text;
}

function requireNoNull(at: string, text: string): string {
  if (text.includes("\0")) throw new DatasetError(`${at} has a null character, which cannot be passed to a program.`);
  return text;
}

function requireEnvironmentText(at: string, value: unknown): string {
  if (typeof value !== "string") throw new DatasetError(`${at} is ${describeValue(value)}, not text.`);
  return value;
}

function requireEnvironmentList(at: string, value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new DatasetError(`${at} is ${describeValue(value)}, not a list.`);
  return value;
}

function requireEnvironmentFields(at: string, value: unknown): EnvironmentFields {
  if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as EnvironmentFields;
  throw new DatasetError(`${at} is ${describeValue(value)}, not an object.`);
}

function checkEnvironmentKeys(at: string, fields: EnvironmentFields, keys: readonly string[]): void {
  const unknown = Object.keys(fields).find((key) => !keys.includes(key));
  if (unknown !== undefined)
    throw new DatasetError(`${at} has an unknown key "${unknown}".${didYouMean(unknown, keys)}`);
}

/** Checks environment variables: texts by valid variable names. */
function checkVariables(at: string, value: unknown): void {
  for (const [name, text] of Object.entries(requireEnvironmentFields(at, value))) {
    if (!/^[^=\0]+$/.test(name)) {
      throw new DatasetError(`${at} has the name ${JSON.stringify(name)}, which is not a valid variable name.`);
    }
    if (typeof text !== "string") {
      throw new DatasetError(`${at}.${name} is ${describeValue(text)}, not text. Put it in quotes.`);
    }
    requireNoNull(`${at}.${name}`, text);
  }
}

const FILE_KEYS = ["src", "dest", "content", "encoding", "executable"];

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Checks a file of an environment, with its content or with a source. */
function checkEnvironmentFile(at: string, value: unknown): void {
  const file = requireEnvironmentFields(at, value);
  checkEnvironmentKeys(at, file, FILE_KEYS);
  checkInnerPath(`${at}.dest`, file.dest);
  if (file.src !== undefined) checkFileSource(at, file);
  else checkFileContent(at, file);
}

function checkFileSource(at: string, file: EnvironmentFields): void {
  checkInnerPath(`${at}.src`, file.src);
  const extra = ["content", "encoding", "executable"].find((key) => key in file);
  if (extra === undefined) return;
  throw new DatasetError(`${at} has both src and ${extra}. Give only src, or the content itself.`);
}

function checkFileContent(at: string, file: EnvironmentFields): void {
  const { dest, content, encoding, executable } = file;
  if (content === undefined) throw new DatasetError(`${at} has neither src nor content. Give it one of them.`);
  const text = requireEnvironmentText(`${at}.content`, content);
  if (isFolderName(String(dest))) {
    throw new DatasetError(`${at}.dest is ${JSON.stringify(dest)}, which names a folder. Name the file in it.`);
  }
  if (encoding !== undefined && encoding !== "base64") {
    throw new DatasetError(`${at}.encoding is ${describeValue(encoding)}. Use "base64", or omit it for text.`);
  }
  if (encoding === "base64" && !BASE64.test(text)) {
    throw new DatasetError(`${at}.content is not base64. Encode it, or omit the encoding for text.`);
  }
  if (executable !== undefined && typeof executable !== "boolean") {
    throw new DatasetError(`${at}.executable is ${describeValue(executable)}, not true or false.`);
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
  const skills = requireEnvironmentList(at, value);
  for (const [index, skill] of skills.entries()) checkSkill(`${at}[${index}]`, skill);
  requireDistinctSkills(at, skills.filter(isOfferedSkill));
}

function checkSkill(at: string, value: unknown): void {
  if (typeof value === "string") return void requireNonEmptyText(at, value);
  const skill = requireEnvironmentFields(at, value);
  checkEnvironmentKeys(at, skill, ["name", "files"]);
  const problem = findSkillNameProblem(requireEnvironmentText(`${at}.name`, skill.name));
  if (problem !== null) throw new DatasetError(`${at}.name: ${JSON.stringify(skill.name)} ${problem}.`);
  const files = requireEnvironmentList(`${at}.files`, skill.files);
  for (const [index, file] of files.entries()) checkSkillFile(`${at}.files[${index}]`, file);
  if (!files.some((file) => (file as EnvironmentFields).dest === SKILL_FILE))
    throw new DatasetError(`${at}.files has no ${SKILL_FILE}. Every skill needs one at its top level.`);
}

function checkSkillFile(at: string, value: unknown): void {
  checkEnvironmentFile(at, value);
  if ("src" in (value as EnvironmentFields))
    throw new DatasetError(`${at} has a src. Give its content, or name the whole folder instead.`);
}

function isOfferedSkill(skill: unknown): skill is OfferedSkill {
  return typeof skill === "object" && skill !== null;
}

/** Skills with the same name would overwrite each other. Some file systems ignore case. */
export function requireDistinctSkills(at: string, skills: readonly OfferedSkill[]): void {
  const names = new Set<string>();
  for (const { name } of skills) {
    if (names.has(name.toLowerCase()))
      throw new DatasetError(`${at} has two skills named "${name}". Remove or rename one of them.`);
    names.add(name.toLowerCase());
  }
}

/** Checks MCP servers by name: programs or URLs. */
function checkMcpServers(at: string, value: unknown): void {
  for (const [name, server] of Object.entries(requireEnvironmentFields(at, value))) {
    if (!SERVER_NAME.test(name))
      throw new DatasetError(
        `${at} has the name ${JSON.stringify(name)}. Use letters, digits, hyphens and underscores.`,
      );
    checkMcpServer(`${at}.${name}`, requireEnvironmentFields(`${at}.${name}`, server));
  }
}

function checkMcpServer(at: string, server: EnvironmentFields): void {
  if ((server.command === undefined) === (server.url === undefined))
    throw new DatasetError(`${at} needs either a command that starts the server, or the url of a running one.`);
  if (server.url === undefined) checkServerProgram(at, server);
  else checkServerAddress(at, server);
}

function checkServerProgram(at: string, server: EnvironmentFields): void {
  const { command, args = [], env = {} } = server;
  checkEnvironmentKeys(at, server, PROGRAM_KEYS);
  requireNonEmptyText(`${at}.command`, command);
  for (const [index, word] of requireEnvironmentList(`${at}.args`, args).entries())
    requireEnvironmentText(`${at}.args[${index}]`, word);
  checkVariables(`${at}.env`, env);
}

function checkServerAddress(at: string, server: EnvironmentFields): void {
  const { url, headers = {} } = server;
  checkEnvironmentKeys(at, server, ADDRESS_KEYS);
  const address = requireNonEmptyText(`${at}.url`, url);
  if (!/^https?:\/\//i.test(address) || !URL.canParse(address))
    throw new DatasetError(`${at}.url is ${JSON.stringify(url)}. Use a URL that begins with http:// or https://.`);
  checkVariables(`${at}.headers`, headers);
}

/** Checks the image of a container: its name, or the files that it is built from. */
function checkImage({ image, dockerfile, workdir }: EnvironmentFields): void {
  if (image !== undefined && dockerfile !== undefined)
    throw new DatasetError("environment has both an image and a dockerfile. Keep one of them.");
  if (image !== undefined && requireNonEmptyText("environment.image", image).startsWith("-"))
    throw new DatasetError(
      `environment.image is ${JSON.stringify(image)}, which begins with a dash. Use a name without one.`,
    );
  if (dockerfile !== undefined) checkDockerfile("environment.dockerfile", dockerfile);
  if (workdir !== undefined && !/^\/[^:\0]+$/.test(requireEnvironmentText("environment.workdir", workdir)))
    throw new DatasetError(
      `environment.workdir is ${JSON.stringify(workdir)}. Use the full path of a folder of the image, such as /app.`,
    );
}

function checkDockerfile(at: string, value: unknown): void {
  if (typeof value === "string") return void requireNonEmptyText(at, value);
  const source = requireEnvironmentFields(at, value);
  checkEnvironmentKeys(at, source, ["dockerfile", "files"]);
  checkInnerPath(`${at}.dockerfile`, source.dockerfile);
  const files = requireEnvironmentList(`${at}.files`, source.files);
  for (const [index, file] of files.entries()) checkSkillFile(`${at}.files[${index}]`, file);
  if (!files.some((file) => (file as EnvironmentFields).dest === source.dockerfile))
    throw new DatasetError(
      `${at}.files has no ${JSON.stringify(source.dockerfile)}. It is what the image is built from.`,
    );
}

const LIMIT_NAMES = ["processes", "memoryGib", "cpus", "diskGib"];
const GUARANTEED_NAMES = ["memoryGib", "cpus"];

function checkAmounts(at: string, value: unknown, names: readonly string[]): void {
  const amounts = requireEnvironmentFields(at, value);
  checkEnvironmentKeys(at, amounts, names);
  for (const [name, amount] of Object.entries(amounts))
    if (typeof amount !== "number" || !Number.isFinite(amount) || amount <= 0)
      throw new DatasetError(`${at}.${name} is ${describeValue(amount)}. It must be a number above 0.`);
}
