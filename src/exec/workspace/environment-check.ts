import type { Environment } from "../../core/environment.js";
import { DatasetError } from "../../core/errors.js";
import { checkVariables, fieldsOf, filledText, listOf, onlyKeys } from "./field-check.js";
import { checkFile } from "./file-check.js";
import { checkServers, checkSkills } from "./offer-check.js";

const KEYS = ["git", "files", "commands", "env", "skills", "mcpServers"];
const GIT_KEYS = ["url", "ref"];

/** Throws unless the value is an environment, and says which key is wrong and how. */
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

/** What begins with a dash would be an option to git. */
function gitWord(at: string, value: unknown): void {
  if (filledText(at, value).startsWith("-")) {
    throw new DatasetError(`${at} is ${JSON.stringify(value)}, which begins with a dash. Name it without one.`);
  }
}

function checkFileAt(value: unknown, index: number): void {
  checkFile(`environment.files[${index}]`, value);
}

function checkCommand(value: unknown, index: number): void {
  filledText(`environment.commands[${index}]`, value);
}
