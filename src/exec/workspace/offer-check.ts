import type { OfferedSkill } from "../../core/environment.js";
import { DatasetError } from "../../core/errors.js";
import { problemWithSkillName, SKILL_FILE } from "../skills/read-skill.js";
import { checkVariables, type Fields, fieldsOf, filledText, listOf, onlyKeys, textOf } from "./field-check.js";
import { checkFile } from "./file-check.js";

const PROGRAM_KEYS = ["command", "args", "env"];
const ADDRESS_KEYS = ["url", "headers"];

/** Names of servers become names of settings and of tools, which take nothing else. */
const SERVER_NAME = /^[A-Za-z0-9_-]+$/;

/** Throws unless the value lists skills: folders, or skills with their files. */
export function checkSkills(at: string, value: unknown): void {
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
    throw new DatasetError(`${at}.files has no ${SKILL_FILE}. A skill has one at its top.`);
}

function checkSkillFile(at: string, value: unknown): void {
  checkFile(at, value);
  if ("src" in (value as Fields))
    throw new DatasetError(`${at} has a src. Give its content, or name the skill's folder.`);
}

function isOffered(skill: unknown): skill is OfferedSkill {
  return typeof skill === "object" && skill !== null;
}

/** One would be written over the other. Some file systems do not tell small letters from large ones. */
export function requireDistinct(at: string, skills: readonly OfferedSkill[]): void {
  const names = new Set<string>();
  for (const { name } of skills) {
    if (names.has(name.toLowerCase()))
      throw new DatasetError(`${at} has two skills with the name "${name}". Take one of them out, or rename it.`);
    names.add(name.toLowerCase());
  }
}

/** Throws unless the value holds servers of tools by their names: programs or addresses. */
export function checkServers(at: string, value: unknown): void {
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
    throw new DatasetError(`${at} needs either a command that starts the server, or the url of one that runs.`);
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
    throw new DatasetError(
      `${at}.url is ${JSON.stringify(url)}. Give an address that begins with http:// or https://.`,
    );
  checkVariables(`${at}.headers`, headers);
}
