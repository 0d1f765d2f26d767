import type { TimelineStep } from "../../../../../src/report/dashboard/contract.js";
import { formatCount, formatDollars, formatMilliseconds, formatPlural } from "../../../ui/index.js";
import { LongText } from "../text/long-text.js";
import { revealLine } from "../text/visible-text.js";
import { DiffLines } from "./diff-lines.js";
import type { TimelineEntry } from "./pair-steps.js";

/** What each kind is called, seen from the agent. */
export const STEP_KIND_WORDS: Readonly<Record<TimelineStep["kind"], string>> = {
  user: "user",
  says: "says",
  thinks: "thinks",
  call: "calls",
  result: "result",
  tokens: "tokens",
  turn: "turn",
  skill: "skill",
  error: "error",
  system: "system",
  other: "other",
};

/** How much of a step's text is seen without asking. */
const STEP_EXCERPT = { characters: 1200, lines: 14 };
/** A text as short as its line has nothing to expand. */
const MAX_SHORT_TEXT = 100;

/** One step of the work: when, what, and what had been spent by then. */
export function TimelineItem({ entry: { step, result } }: { entry: TimelineEntry }) {
  const hasMore =
    step.text.length > MAX_SHORT_TEXT || step.text.includes("\n") || step.diff !== null || result !== null;
  return (
    <li class={`step step-${step.kind}${hasFailed(result ?? step) ? " step-failed" : ""}`}>
      <span class="step-time">{formatStepTime(step.atMs)}</span>
      <span class="step-kind">{STEP_KIND_WORDS[step.kind]}</span>
      <div class="step-what">
        {hasMore ? (
          <details open={isOpenByDefault(step)}>
            <summary>
              <StepTitle step={step} result={result} />
            </summary>
            <StepBody step={step} result={result} />
          </details>
        ) : (
          <StepTitle step={step} result={result} />
        )}
      </div>
      <span class="step-spent">{formatSpent(result ?? step)}</span>
    </li>
  );
}

function StepTitle({ step, result }: Pick<TimelineEntry, "step" | "result">) {
  // A call's title holds the gist of its arguments already.
  const isSaid = step.text !== "" && step.kind !== "call";
  return (
    <>
      {step.title !== "" && (
        <b>
          <bdi>{revealLine(step.title)}</bdi>{" "}
        </b>
      )}
      {isSaid && <bdi class="step-gist">{revealLine(step.text.slice(0, MAX_SHORT_TEXT))}</bdi>}
      {isSaid && step.title === "" && <span class="step-length">{formatPlural(step.length, "character")}</span>}
      {result !== null && <span class="step-result"> {describeResult(step, result)}</span>}
      {result === null && step.isSuccess === false && <span class="step-result"> ✕ failed</span>}
    </>
  );
}

function describeResult(call: TimelineStep, { isSuccess, atMs }: TimelineStep): string {
  const took = `after ${formatMilliseconds(Math.max(0, atMs - call.atMs))}`;
  if (isSuccess === null) return `→ answered ${took}`;
  return isSuccess ? `✓ done ${took}` : `✕ failed ${took}`;
}

function StepBody({ step, result }: Pick<TimelineEntry, "step" | "result">) {
  const name = `${STEP_KIND_WORDS[step.kind]} ${revealLine(step.title)}`;
  return (
    <div class="step-body">
      {step.diff !== null && <DiffLines label={`Change by ${name}`} lines={step.diff} />}
      {step.text !== "" && step.diff === null && (
        <LongText label={name} text={step.text} length={step.length} first={STEP_EXCERPT} />
      )}
      {result !== null && result.text !== "" && (
        <>
          <h4>Result</h4>
          <LongText label={`result of ${name}`} text={result.text} length={result.length} first={STEP_EXCERPT} />
        </>
      )}
    </div>
  );
}

/** What an agent says and what goes wrong is worth reading at once. */
function isOpenByDefault({ kind }: TimelineStep): boolean {
  return kind === "says" || kind === "error" || kind === "user";
}

function hasFailed({ isSuccess, kind }: TimelineStep): boolean {
  return isSuccess === false || kind === "error";
}

function formatStepTime(atMs: number): string {
  return atMs < 0 ? `−${formatMilliseconds(-atMs)}` : formatMilliseconds(atMs);
}

function formatSpent({ costUsd, tokens }: TimelineStep): string {
  const spent = [
    ...(costUsd === null ? [] : [formatDollars(costUsd)]),
    ...(tokens === null ? [] : [`${formatCount(tokens)} tok`]),
  ];
  return spent.join(" · ");
}
