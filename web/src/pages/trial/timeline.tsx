import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { TimelineStep } from "../../../../src/report/dashboard/contract.js";
import { hasFailed, pairSteps, STEP_KIND_WORDS, type TimelineEntry } from "../../../../src/report/dashboard/steps.js";
import {
  DiffLines,
  formatCount,
  formatDollars,
  formatMilliseconds,
  formatPlural,
  LongText,
  type Route,
  revealLine,
  TextFilter,
  updateQuery,
  useGrowingCount,
} from "../../ui/index.js";
import { joinValues, splitValues } from "../row-filter.js";
import { FlameGraph } from "./flame-graph.js";
import { countKinds, filterEntries } from "./steps.js";

const DEFAULT_STEPS_SHOWN = 150;
const STEPS_PER_REDRAW = 40;

interface TimelineProps {
  route: Route;
  steps: readonly TimelineStep[];
  /** Whether the system does not report its tool calls. */
  areToolsUnseen: boolean;
}

export function Timeline({ route, steps, areToolsUnseen }: TimelineProps) {
  const entries = useMemo(() => pairSteps(steps), [steps]);
  const { failed, find = "", hide } = route.query;
  const hidden = splitValues(hide);
  const shown = useMemo(
    () => filterEntries(entries, { hidden, isFailedOnly: failed === "true", text: find }),
    [entries, hide, failed, find],
  );
  const [target, setTarget] = useState<number | null>(null);
  const pick = (place: number) => {
    // A step that the filters hide could not be shown.
    if (!shown.some((entry) => entry.place === place))
      updateQuery(route, { hide: undefined, failed: undefined, find: undefined });
    setTarget(place);
  };
  return (
    <section aria-labelledby="timeline">
      <h2 id="timeline">
        Timeline <span class="quiet">{formatPlural(entries.length, "step")}</span>
      </h2>
      {areToolsUnseen && (
        <p class="quiet">
          This agent does not report its tool calls: the steps are its model requests and what it printed.
        </p>
      )}
      <TimelineMarks steps={steps} onPick={pick} />
      <FlameGraph entries={entries} onPick={pick} />
      <RunningCosts steps={steps} />
      <div class="step-filters">
        <TextFilter
          label="Find in the timeline"
          value={find}
          onChange={(text) => updateQuery(route, { find: text || undefined })}
        />
        <KindFilter route={route} entries={entries} hidden={hidden} />
      </div>
      {shown.length < entries.length && (
        <p class="quiet" role="status">
          {formatCount(shown.length)} of {formatPlural(entries.length, "step")}
        </p>
      )}
      <TimelineItems entries={shown} of={steps} target={target} onArrive={() => setTarget(null)} />
    </section>
  );
}

/** The first passing state and the stop, ahead of the steps among which they are. */
function TimelineMarks({ steps, onPick }: { steps: readonly TimelineStep[]; onPick: (place: number) => void }) {
  const marks = steps.flatMap((step, place) => (step.kind === "pass" || step.kind === "kill" ? [{ step, place }] : []));
  if (marks.length === 0) return null;
  return (
    <ul class="step-marks">
      {marks.map(({ step, place }) => (
        <li key={place} class={`step-mark-${step.kind}`}>
          {MARK_SIGNS[step.kind as "pass" | "kill"]}{" "}
          <button type="button" class="plain" onClick={() => onPick(place)}>
            {step.title}
          </button>{" "}
          at {formatStepTime(step.atMs)}. {step.text}
        </li>
      ))}
    </ul>
  );
}

const MARK_SIGNS = { pass: "✓", kill: "■" } as const;

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
      <label>
        <input
          type="checkbox"
          checked={route.query.failed === "true"}
          onChange={({ currentTarget }) => updateQuery(route, { failed: currentTarget.checked ? "true" : undefined })}
        />
        Failed only <span class="quiet">{formatCount(entries.filter(hasFailed).length)}</span>
      </label>
    </fieldset>
  );
}

interface TimelineItemsProps {
  entries: readonly TimelineEntry[];
  of: readonly TimelineStep[];
  /** The place of a step to go to; null for none. */
  target: number | null;
  onArrive: () => void;
}

function TimelineItems({ entries, of, target, onArrive }: TimelineItemsProps) {
  const [isAll, setAll] = useState(false);
  const list = useRef<HTMLOListElement>(null);
  const total = isAll ? entries.length : Math.min(entries.length, DEFAULT_STEPS_SHOWN);
  const count = useGrowingCount(total, STEPS_PER_REDRAW, of);
  const passAt = of.findIndex(({ kind }) => kind === "pass");
  useEffect(() => {
    if (target === null) return;
    const item = list.current?.querySelector<HTMLElement>(`[data-place="${target}"]`);
    // A step that is not drawn yet comes with a later redraw.
    if (!item) return setAll(true);
    for (const details of item.querySelectorAll("details")) details.open = true;
    item.scrollIntoView({ block: "center" });
    item.focus({ preventScroll: true });
    onArrive();
  }, [target, count, entries]);
  return (
    <>
      <ol class="steps" ref={list}>
        {entries.slice(0, Math.min(count, total)).map((entry) => (
          <TimelineItem key={entry.place} entry={entry} isAfterPass={passAt >= 0 && entry.place > passAt} />
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

const STEP_EXCERPT = { characters: 1200, lines: 14 };
/** Shorter texts fit on one line and cannot be expanded. */
const MAX_SHORT_TEXT = 100;

function TimelineItem({ entry, isAfterPass }: { entry: TimelineEntry; isAfterPass: boolean }) {
  const { step, result, place } = entry;
  const state = `${hasFailed(entry) ? " step-failed" : ""}${isAfterPass ? " step-after" : ""}`;
  const hasMore =
    step.text.length > MAX_SHORT_TEXT || step.text.includes("\n") || step.diff !== null || result !== null;
  return (
    <li class={`step step-${step.kind}${state}`} data-place={place} tabIndex={-1}>
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
      <StepSpending step={step} total={result ?? step} />
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
  const isCall = step.kind === "call";
  return (
    <div class="step-body">
      {step.diff !== null && <DiffLines label={`Change by ${name}`} lines={step.diff} />}
      {isCall && step.text !== "" && step.diff === null && <h3>Arguments</h3>}
      {step.text !== "" && step.diff === null && (
        <LongText label={name} text={step.text} length={step.length} first={STEP_EXCERPT} />
      )}
      {result !== null && result.text !== "" && (
        <>
          <h3>Result</h3>
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

function formatStepTime(atMs: number): string {
  return atMs < 0 ? `−${formatMilliseconds(-atMs)}` : formatMilliseconds(atMs);
}

/** What a step cost by itself, and what had been spent by then. */
function StepSpending({ step, total }: { step: TimelineStep; total: TimelineStep }) {
  const own = formatSpending(step.stepCostUsd, step.stepTokens);
  const sum = formatSpending(total.costUsd, total.tokens);
  return (
    <span class="step-spent">
      {own !== "" && <b>{own}</b>}
      {(own !== "" || step.kind === "call") && sum !== "" && <span class="step-sum">Σ {sum}</span>}
    </span>
  );
}

function formatSpending(costUsd: number | null, tokens: number | null): string {
  return [
    ...(costUsd === null ? [] : [formatDollars(costUsd)]),
    ...(tokens === null ? [] : [`${formatCount(tokens)} tok`]),
  ].join(" · ");
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
        {name} over time: <b>{end}</b> in total
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
