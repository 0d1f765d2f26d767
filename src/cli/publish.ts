import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { getErrorMessage, ReporterError, type RunVerdict, UsageError } from "../core/index.js";
import { writePiecesAtomically } from "../utils/index.js";
import { printNote } from "./streams.js";

/** Where a command writes its result besides stdout. */
export interface PublishFlags {
  junit?: string;
  markdown?: string;
  /** True for everything; `summary` for everything but the comment. */
  github?: string | true;
}

/** What is written. */
export interface PublishedReport {
  title: string;
  runDir: string | null;
  verdict: RunVerdict;
  /** Each is an annotation on GitHub. */
  problems: readonly string[];
  markdown: () => Iterable<string>;
  junit: () => Iterable<string>;
}

/** Writes the requested files, whatever the verdict, and tells GitHub. */
export async function publishReports(
  { junit, markdown, github }: PublishFlags,
  report: PublishedReport,
): Promise<void> {
  if (junit !== undefined) writeReportFile(junit, report.junit());
  if (markdown !== undefined) writeReportFile(markdown, report.markdown());
  if (github === undefined) return;
  const { publishToGithub } = await import("./github.js");
  const { title, runDir, verdict, problems } = report;
  const text = [...report.markdown()].join("");
  await publishToGithub(
    { title, runDir, verdict, problems, markdown: text },
    { env: process.env, onNote: printNote, hasComment: github === true },
  );
}

/** Rejects an unknown part before anything is spent. */
export function checkPublishFlags({ github }: PublishFlags): void {
  if (github !== undefined && github !== true && github !== "summary")
    throw new UsageError(`--github takes no value or "summary", got "${github}".`);
}

/** Readers see the old file or the new one, never a part. */
export function writeReportFile(file: string, lines: Iterable<string>): void {
  try {
    mkdirSync(dirname(file), { recursive: true });
    writePiecesAtomically(file, lines);
  } catch (cause) {
    throw new ReporterError(`${file} could not be written: ${getErrorMessage(cause)}. The run itself is stored.`, {
      cause,
    });
  }
  printNote(`Written: ${file}`);
}
