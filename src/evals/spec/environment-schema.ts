import * as z from "zod";
import { filled, flag, innerPath, listOf, mapping, oneOf, recordOf, text } from "./fields.js";

const gitWord = filled.refine((value) => !value.startsWith("-"), "begins with a dash: name it without one");

export const gitSchema = mapping({
  url: gitWord.describe("The repository: an address, or a path relative to this file."),
  ref: gitWord.optional().describe("A branch, a tag or a commit."),
});

/** A file is copied, or given with its content. */
export const fileSchema = mapping({
  src: filled.optional().describe("A file or a folder, relative to this file."),
  dest: innerPath.describe("Where it goes, below the workspace."),
  content: text.optional().describe("The content itself, instead of src."),
  encoding: oneOf(["base64"]).optional(),
  executable: flag.optional(),
}).superRefine((file, context) => {
  const say = (message: string) => context.addIssue({ code: "custom", message });
  const { src, content } = file;
  if (src === undefined && content === undefined) say("has neither src nor content: give it one of them");
  const extra = (["content", "encoding", "executable"] as const).find((key) => file[key] !== undefined);
  if (src !== undefined && extra !== undefined) say(`has both src and ${extra}: give a src alone, or the content`);
  if (src === undefined && /(?:^|\/)\.?$/.test(file.dest)) say("has a dest that names a folder: name the file in it");
});

const variables = recordOf(text).superRefine((value, context) => {
  for (const name of Object.keys(value))
    if (!/^[^=\0]+$/.test(name))
      context.addIssue({ code: "custom", message: `has the name ${JSON.stringify(name)}, which no variable can have` });
});

export const serverSchema = mapping({
  command: filled.optional().describe("A program that speaks the protocol, started in the workspace."),
  args: listOf(text).optional(),
  env: variables.optional(),
  url: filled.optional().describe("The address of a server, instead of a command."),
  headers: recordOf(text).optional(),
}).superRefine((server, context) => {
  const say = (message: string) => context.addIssue({ code: "custom", message });
  const { command, url } = server;
  if ((command === undefined) === (url === undefined)) say("needs either a command or a url");
  const extra = (url === undefined ? (["headers"] as const) : (["args", "env"] as const)).find(
    (key) => server[key] !== undefined,
  );
  if (extra !== undefined) say(`has ${extra}, which goes with a ${url === undefined ? "url" : "command"}`);
});

/** The place an agent works in; all of it may be missing. */
export const environmentSchema = mapping({
  use: filled.optional().describe("The name of an environment of the project file, to which this one is added."),
  git: gitSchema.optional().describe("A repository that is checked out first."),
  files: listOf(fileSchema).optional().describe("Put in place after that, in this order."),
  commands: listOf(filled).optional().describe("Run in the workspace after that, by the shell."),
  env: variables.optional().describe("Variables for the commands, the agent and graders."),
  skills: listOf(filled)
    .optional()
    .describe(
      "Skills that the agent is offered: folders with a SKILL.md. They are added to those of the file or of use; an empty list takes these away.",
    ),
  mcpServers: recordOf(serverSchema).optional().describe("Servers of tools that the agent is connected to, by name."),
});

/** Described in place, or by the name of one of the project file. */
export const environmentOrName = z.union([filled, environmentSchema], {
  error: "must be a mapping, or the name of an environment of the project file",
});

export type RawEnvironment = z.output<typeof environmentSchema>;
