import { type CodeBlock, parseBlocks, parseTableRows } from "../docs/markdown.js";

/** A section of docs/guides/jobs.md: files to write, commands to run, and what they print. */
export interface Job {
  readonly number: number;
  readonly title: string;
  readonly steps: readonly JobStep[];
  /** The number of commands that the page promises. */
  readonly promised: number;
}

type JobStep =
  | { readonly kind: "file"; readonly name: string; readonly text: string }
  | { readonly kind: "command"; readonly line: string; readonly exitCode: number }
  | { readonly kind: "printed"; readonly text: string };

export function readJobs(page: string): Job[] {
  const promised = new Map(parseTableRows(page).map(([number, , commands]) => [number, Number(commands)]));
  const [, ...sections] = page.split(/^## (?=\d)/m);
  return sections.map((section) => {
    const [, number = "", title = ""] = /^(\d+)\. (.+)/.exec(section) ?? [];
    return {
      number: Number(number),
      title,
      steps: parseBlocks(section).flatMap(toSteps),
      promised: promised.get(number) ?? Number.NaN,
    };
  });
}

function toSteps({ language, info, text }: CodeBlock): JobStep[] {
  if (info === "printed") return [{ kind: "printed", text }];
  if (language !== "sh") return [{ kind: "file", name: info, text }];
  const exitCode = Number(/exit-(\d+)/.exec(info)?.[1] ?? 0);
  const lines = text.replaceAll(/ *\\\n */g, " ").split("\n");
  return lines.filter((line) => line !== "").map((line) => ({ kind: "command", line, exitCode }));
}

export interface Mistake {
  readonly what: string;
  readonly command: string;
  readonly message: string;
}

/** The table of mistakes: a command, and what its message contains. */
export function readMistakes(page: string): Mistake[] {
  const rows = parseTableRows(page.split(/^## 10\./m)[1] ?? "");
  return rows.flatMap(([what = "", command = "", message = ""]) =>
    command.startsWith("`") ? [{ what, command: unquote(command), message: unquote(message) }] : [],
  );
}

function unquote(cell: string): string {
  return cell.replace(/^`+ ?| ?`+$/g, "").replaceAll("\\|", "|");
}
