import { useMemo, useState } from "preact/hooks";
import type { TimelineStep } from "../../../../src/report/dashboard/contract.js";
import {
  DiffLines,
  formatCount,
  formatDollars,
  formatMilliseconds,
  formatPlural,
  LongText,
  type Route,
  revealLine,
  updateQuery,
  useGrowingCount,
} from "../../ui/index.js";
import { joinValues, splitValues } from "../row-filter.js";

const DEFAULT_STEPS_SHOWN = 150;
const STEPS_PER_REDRAW = 40;

export function Timeline({ route, steps }: { route: Route; steps: readonly TimelineStep[] }) {
  const entries = useMemo(() => pairSteps(steps), [steps]);
  const hidden = splitValues(route.query.hide);
  const shown = entries.filter(({ step }) => !hidden.includes(step.kind));
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">
        Timeline <span class="quiet">{formatPlural(entries.length, "step")}</span>
      </h2>
      <RunningCosts steps={steps} />
      <KindFilter route={route} entries={entries} hidden={hidden} />
      <TimelineItems entries={shown} of={steps} />
    </section>
  );
}

interface KindFilterProps {
  route: Route;
  entries: readonly TimelineEntry[];
  hidden: readonly string[];
}

function KindFilter({ route, entries, hidden }: KindFilterProps) {
  const toggle = (kind: string) =>
    hidden.includes(kind) ? hidden.filter((other) => other !== kind) : [...hidden, kind];
  return (
    <fieldset class="kinds">
      <legend class="unseen">Kinds of steps</legend>
      {countKinds(entries).map(([kind, count]) => (
        <label key={kind}>
          <input
            type="checkbox"
            checked={!hidden.includes(kind)}
            onChange={() => updateQuery(route, { hide: joinValues(toggle(kind)) })}
          />
          {STEP_KIND_WORDS[kind]} <span class="quiet">{formatCount(count)}</span>
        </label>
      ))}
    </fieldset>
  );
}

function TimelineItems({ entries, of }: { entries: readonly TimelineEntry[]; of: readonly TimelineStep[] }) {
  const [isAll, setAll] = useState(false);
  const total = isAll ? entries.length : Math.min(entries.length, DEFAULT_STEPS_SHOWN);
  const count = useGrowingCount(total, STEPS_PER_REDRAW, of);
  return (
    <>
      <ol class="steps">
        {entries.slice(0, Math.min(count, total)).map((entry) => (
          <TimelineItem key={entry.place} entry={entry} />
        ))}
      </ol>
      {entries.length > total && (
        <button type="button" class="text-more" onClick={() => setAll(true)}>
          Show all {formatCount(entries.length)} steps
        </button>
      )}
    </>
  );
}

const STEP_KIND_WORDS: Readonly<Record<TimelineStep["kind"], string>> = {
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

const STEP_EXCERPT = { characters: 1200, lines: 14 };
/** Shorter texts fit on one line and cannot be expanded. */
const MAX_SHORT_TEXT = 100;

function TimelineItem({ entry: { step, result } }: { entry: TimelineEntry }) {
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
  // The title of a call contains its arguments.
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

/** Messages and errors are open from the start. */
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

/** A step; a call comes with its result, if it has one. */
interface TimelineEntry {
  readonly step: TimelineStep;
  readonly result: TimelineStep | null;
  /** The index among all steps. */
  readonly place: number;
}

/** Pairs results with calls by the id of the call, or in order where there are no ids. */
export function pairSteps(steps: readonly TimelineStep[]): TimelineEntry[] {
  const results = matchResults(steps);
  const taken = new Set(results.values());
  return steps.flatMap((step, place) => {
    if (taken.has(place)) return [];
    return [{ step, result: steps[results.get(place) ?? -1] ?? null, place }];
  });
}

/** The index of the result of each call. Ids may repeat, so a result belongs to the latest open call. */
function matchResults(steps: readonly TimelineStep[]): Map<number, number> {
  const waiting = new Map<string | null, number[]>();
  const results = new Map<number, number>();
  for (const [place, { kind, callId }] of steps.entries()) {
    const calls = waiting.get(callId) ?? [];
    waiting.set(callId, calls);
    if (kind === "call") calls.push(place);
    if (kind !== "result") continue;
    // Without ids, results come in the order of their calls.
    const call = callId === null ? calls.shift() : calls.pop();
    if (call !== undefined) results.set(call, place);
  }
  return results;
}

/** In the order of the page. */
const STEP_KINDS = [
  "user",
  "says",
  "thinks",
  "call",
  "result",
  "skill",
  "error",
  "turn",
  "tokens",
  "system",
  "other",
] as const satisfies readonly TimelineStep["kind"][];

export function countKinds(entries: readonly TimelineEntry[]): [kind: TimelineStep["kind"], count: number][] {
  return STEP_KINDS.flatMap((kind) => {
    const count = entries.filter(({ step }) => step.kind === kind).length;
    return count === 0 ? [] : [[kind, count] as [TimelineStep["kind"], number]];
  });
}

const LINE_SIZE = { width: 600, height: 36 };

/** Cumulative cost and tokens as small lines. */
function RunningCosts({ steps }: { steps: readonly TimelineStep[] }) {
  const cost = buildRunningLine(steps, "costUsd", LINE_SIZE);
  const tokens = buildRunningLine(steps, "tokens", LINE_SIZE);
  if (cost === null && tokens === null) return null;
  return (
    <div class="running">
      {cost !== null && <RunningLineFigure name="Cost" line={cost} end={formatDollars(cost.last)} />}
      {tokens !== null && <RunningLineFigure name="Tokens" line={tokens} end={formatCount(tokens.last)} />}
    </div>
  );
}

function RunningLineFigure({ name, line, end }: { name: string; line: RunningLine; end: string }) {
  return (
    <figure class="running-line">
      <figcaption>
        {name} over time: <b>{end}</b> in the end
      </figcaption>
      <svg viewBox={`0 -1 ${LINE_SIZE.width} ${LINE_SIZE.height + 2}`} preserveAspectRatio="none" aria-hidden="true">
        <path d={line.path} />
      </svg>
    </figure>
  );
}

interface RunningLine {
  /** An SVG path in a box of the given size. */
  readonly path: string;
  readonly last: number;
}

interface LineSize {
  readonly width: number;
  readonly height: number;
}

/**
 * Cumulative spending as a step line over time; null with fewer than two known values.
 * @example
 * buildRunningLine(timeline, "costUsd", { width: 600, height: 40 });
 */
export function buildRunningLine(
  steps: readonly TimelineStep[],
  of: "costUsd" | "tokens",
  box: LineSize,
): RunningLine | null {
  const known = steps.flatMap(({ atMs, [of]: value }) => (value === null ? [] : [{ atMs, value }]));
  const last = known.at(-1)?.value ?? 0;
  if (known.length < 2 || last <= 0) return null;
  const [first, end] = [steps[0]?.atMs ?? 0, steps.at(-1)?.atMs ?? 0];
  const most = known.reduce((largest, { value }) => Math.max(largest, value), 0);
  const x = (atMs: number) => (end > first ? ((atMs - first) / (end - first)) * box.width : 0);
  const y = (value: number) => box.height - (value / most) * box.height;
  const points = known.map(({ atMs, value }) => `H${roundTenth(x(atMs))}V${roundTenth(y(value))}`);
  return { path: `M0 ${roundTenth(box.height)}${points.join("")}H${roundTenth(box.width)}`, last };
}

function roundTenth(value: number): number {
  return Math.round(value * 10) / 10;
}
