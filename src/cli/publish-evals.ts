import { EXIT, type RunVerdict } from "../core/index.js";
import { type EvalSection, formatPlural, renderEvalsJunit, renderEvalsMarkdown } from "../report/index.js";
import type { PublishedReport } from "./publish.js";

/** The title of the reports of several evals, by which their comment is found again. */
const TITLE = "Evals";

/** Collects the reports of several evals, to publish them as one. */
export class EvalsPublication {
  readonly #files: readonly string[];
  readonly #sections: EvalSection[] = [];
  readonly #problems: string[] = [];

  constructor(files: readonly string[]) {
    this.#files = files;
  }

  add({ title, verdict, problems, markdown, junit }: PublishedReport): void {
    this.#sections.push({ title, verdict, markdown, junit });
    this.#problems.push(...problems);
  }

  /** For an eval that could not run. */
  fail(file: string, verdict: RunVerdict): void {
    this.#sections.push({ title: file, verdict, markdown: null, junit: null });
    this.#problems.push(`${file}: ${verdict.words}`);
  }

  /** `exitCode` is the worst of all. */
  finish(exitCode: number): PublishedReport {
    const failed = this.#sections.filter(({ verdict }) => verdict.exitCode !== EXIT.fine).map(({ title }) => title);
    const missing = this.#files.length - this.#sections.length;
    const count = formatPlural(this.#files.length, "eval");
    const words = [
      failed.length === 0 ? `${count}, none failed` : `${failed.length} of ${count} failed: ${failed.join(", ")}`,
      ...(missing > 0 ? [`${missing} not run`] : []),
    ].join(", ");
    const summary = { title: TITLE, verdict: { exitCode, words } };
    return {
      ...summary,
      runDir: null,
      problems: this.#problems,
      markdown: () => [renderEvalsMarkdown(summary, this.#sections)],
      junit: () => renderEvalsJunit(summary, this.#sections),
    };
  }
}
