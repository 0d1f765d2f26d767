import type { RunVerdict } from "../../core/index.js";
import { escapeMarkdown, formatCommentMarker, formatHeadline } from "../comment.js";
import { escapeXml, renderGateSuite } from "./junit.js";

/** The reports of one eval among several. */
export interface EvalSection {
  readonly title: string;
  readonly verdict: RunVerdict;
  /** Null if the eval could not run. */
  readonly markdown: (() => Iterable<string>) | null;
  readonly junit: (() => Iterable<string>) | null;
}

export interface EvalsSummary {
  readonly title: string;
  readonly verdict: RunVerdict;
}

/** One comment: a headline for all evals, then a section for each. */
export function renderEvalsMarkdown({ title, verdict }: EvalsSummary, evals: readonly EvalSection[]): string {
  const gated = evals.filter((each) => each.verdict.words === "all gates passed").length;
  const sections = evals.map(({ markdown, ...each }) => {
    if (markdown === null)
      return `#### ❌ ${escapeMarkdown(each.title)}: not run\n\n${escapeMarkdown(each.verdict.words)}`;
    // Only the whole comment has a marker.
    return [...markdown()]
      .join("")
      .replace(`${formatCommentMarker(each.title)}\n`, "")
      .replace(/^(?=###)/gm, "#")
      .trim();
  });
  const headline = formatHeadline(title, verdict, gated);
  return `${[formatCommentMarker(title), headline, ...sections].join("\n\n")}\n`;
}

/** One document with the suites of all evals. */
export function* renderEvalsJunit({ title }: EvalsSummary, evals: readonly EvalSection[]): Generator<string> {
  yield '<?xml version="1.0" encoding="UTF-8"?>\n';
  yield `<testsuites name="${escapeXml(title)}">\n`;
  for (const { title: name, verdict, junit } of evals)
    for (const piece of junit === null ? renderGateSuite([], verdict) : junit())
      if (!/^<(?:\?xml|\/?testsuites)/.test(piece))
        yield piece
          .replace('<testsuite name="gates"', () => `<testsuite name="${escapeXml(`${name}: gates`)}"`)
          .replace(' classname="gates"', () => ` classname="${escapeXml(`${name}.gates`)}"`);
  yield "</testsuites>\n";
}
