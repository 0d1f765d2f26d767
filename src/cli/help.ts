import type { Command, Help, Option, OutputConfiguration } from "commander";

/** Where stdout is no terminal. */
const DEFAULT_HELP_WIDTH = 80;

/** Headings of the commands in `assay --help`, in this order. */
export const COMMAND_GROUPS = ["Measure", "Look", "Evals", "Serve and scale", "Project"] as const;

export type CommandGroup = (typeof COMMAND_GROUPS)[number];

/**
 * True if only the common flags are to be shown: for `--help`, but not for `--help all`. Without either, all flags stay
 * visible, because commander suggests only those for a mistyped one.
 */
export function wantsCommonFlags([, , ...words]: readonly string[]): boolean {
  const at = words.findIndex((word) => word === "--help" || word === "-h");
  return words[0] === "help" || (at !== -1 && words[at + 1] !== "all");
}

/**
 * Shows only these flags in the help of a command, and says how to get the others. A command with dozens of flags is
 * easier to learn by the dozen that most people need.
 */
export function showOnlyFlags(command: Command, common: readonly string[]): void {
  const count = command.options.length;
  for (const option of command.options) {
    if (common.includes(option.long ?? "")) setHelpGroup(option, undefined);
    else option.hideHelp();
  }
  command
    .helpOption("-h, --help [all]", "show common flags, or all")
    .addHelpText("after", `\nAll ${count} flags: assay ${command.name()} --help all`);
}

/** Commander's own setter does not take undefined, which is the heading "Options". */
function setHelpGroup(option: Option, heading: string | undefined): void {
  (option as { helpGroupHeading: string | undefined }).helpGroupHeading = heading;
}

/** Lists commands by name only: their arguments are in their own help, and take half of a narrow terminal. */
export const HELP_STYLE: Partial<Help> = { subcommandTerm: (command) => command.name() };

/**
 * Wraps the lines of a help text that are too long. An example is broken between flags with a backslash, so that it can
 * still be pasted, and what it does goes on a line of its own.
 */
export function fitHelp(text: string, width: number): string {
  return text
    .split("\n")
    .flatMap((line) => (line.length <= width ? [line] : fitLine(line, width)))
    .join("\n");
}

function fitLine(line: string, width: number): string[] {
  const [, example, about] = /^ {2}(assay .*?)(?: {2,}(\S.*))?$/.exec(line) ?? [];
  if (example !== undefined)
    return [...breakCommand(example, width), ...(about === undefined ? [] : wrapWords(about, " ".repeat(6), width))];
  const [lead = ""] = /^(?:[A-Z][a-z]+(?: [a-z]+)?: {2,}|\s*)/.exec(line) ?? [];
  const [first = "", ...others] = wrapWords(line.slice(lead.length), " ".repeat(lead.length), width);
  return [lead + first.slice(lead.length), ...others];
}

function breakCommand(command: string, width: number): string[] {
  // A flag stays with its value, and a quoted text in one piece.
  const parts = command.split(/ (?=--?\w|")/);
  const lines: string[] = [];
  let line = "  ";
  for (const [i, part] of parts.entries()) {
    const end = i === parts.length - 1 ? "" : " \\";
    const longer = line.trim() === "" ? `${line}${part}` : `${line} ${part}`;
    if (longer.length + end.length <= width || line.trim() === "") line = longer;
    else {
      lines.push(`${line} \\`);
      line = `      ${part}`;
    }
  }
  return [...lines, line];
}

function wrapWords(text: string, indent: string, width: number): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(" ")) {
    const longer = line === indent ? `${line}${word}` : `${line} ${word}`;
    if (longer.length <= width || line === indent) line = longer;
    else {
      lines.push(line);
      line = `${indent}${word}`;
    }
  }
  return [...lines, line];
}

/** Help fits the terminal, or 80 columns elsewhere. */
export function createHelpOutput(stdout: NodeJS.WriteStream = process.stdout): OutputConfiguration {
  const width = () => (stdout.isTTY ? stdout.columns : undefined) || Number(process.env.COLUMNS) || DEFAULT_HELP_WIDTH;
  return {
    getOutHelpWidth: width,
    writeOut: (text) => {
      stdout.write(fitHelp(text, width()));
    },
  };
}
