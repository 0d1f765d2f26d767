import type { ComponentChildren } from "preact";
import { useMemo, useState } from "preact/hooks";
import { alignSteps } from "../../../../src/report/dashboard/align.js";
import type { TrialView } from "../../../../src/report/dashboard/contract.js";
import { hasFailed, pairSteps, STEP_KIND_WORDS, type TimelineEntry } from "../../../../src/report/dashboard/steps.js";
import { LoadView, type TrialKey, useLoadState, useSource } from "../../data/index.js";
import {
  formatCount,
  formatDollars,
  formatMilliseconds,
  formatPlural,
  formatSeconds,
  joinLines,
  LongText,
  OutcomeBadge,
  PageHead,
  type Route,
  revealLine,
  Scrollable,
} from "../../ui/index.js";
import { RunCrumbs } from "../run-crumbs.js";
import { buildPairAddress, buildTrialAddress, type PairedTrial } from "../trial-address.js";

interface TrialPairProps {
  route: Route;
  id: string;
  trial: TrialKey;
  other: PairedTrial;
}

/** Two trials of one example side by side, with their steps aligned. */
export function TrialPair({ id, trial, other }: TrialPairProps) {
  const source = useSource();
  const loaded = useLoadState(async () => {
    const first = await source.getTrial(id, trial);
    const { dataset, exampleId } = first.row;
    const key = { dataset, exampleId, system: other.system, trial: other.trial };
    return [first, await source.getTrial(other.run, key)] as const;
  }, [source, buildPairAddress(id, trial, other)]);
  return (
    <>
      <RunCrumbs id={id}>
        {" / "}
        <a href={buildTrialAddress(id, trial)}>{describeTrial(trial)}</a>
      </RunCrumbs>
      <PageHead title={`${revealLine(String(trial.exampleId))} · two trials`} place={id}>
        A: {describeTrial(trial)}. B: {describeTrial(other)}
        {other.run !== id && ` of run ${revealLine(other.run)}`}.
      </PageHead>
      <p>
        <a
          href={buildPairAddress(
            other.run,
            { ...trial, ...other },
            { run: id, system: trial.system, trial: trial.trial },
          )}
        >
          Swap A and B
        </a>
      </p>
      <LoadView loaded={loaded} what="both trials">
        {([a, b]) => (
          <div class="trial">
            <PairTotals a={a} b={b} />
            <PairSteps a={a} b={b} />
            <PairResponses a={a} b={b} />
          </div>
        )}
      </LoadView>
    </>
  );
}

export function describeTrial({ system, trial }: Pick<TrialKey, "system" | "trial">): string {
  return `${revealLine(system)}, trial ${trial}`;
}

interface PairProps {
  a: TrialView;
  b: TrialView;
}

type FactReader = (view: TrialView) => ComponentChildren;

const TOTALS: readonly (readonly [string, FactReader])[] = [
  ["Outcome", ({ row }) => <OutcomeBadge outcome={row.outcome} />],
  ["Cost", ({ row }) => formatDollars(row.costUsd)],
  ["Tokens", ({ classes }) => (classes.length === 0 ? formatCount(null) : formatCount(sumTokens(classes)))],
  ["Time", ({ row }) => (row.latency === null ? formatMilliseconds(row.durationMs) : formatSeconds(row.latency))],
  ["First passing state", ({ row }) => formatMilliseconds(row.successAtMs)],
  ["Turns", ({ row }) => formatCount(row.turns)],
  ["Steps", ({ timeline }) => (timeline === null ? formatCount(null) : formatCount(pairSteps(timeline).length))],
];

function sumTokens(classes: TrialView["classes"]): number {
  return classes.reduce((sum, { tokens }) => sum + tokens, 0);
}

function PairTotals({ a, b }: PairProps) {
  return (
    <Scrollable class="scroll-x" label="Totals of both trials">
      <table class="table pair-totals">
        <caption class="unseen">Totals of both trials</caption>
        <thead>
          <tr>
            <th scope="col">Trial</th>
            {TOTALS.map(([name]) => (
              <th key={name} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[a, b].map((view, side) => (
            <tr key={side}>
              <th scope="row">
                {side === 0 ? "A" : "B"}: <a href={buildTrialAddress(view.run, view.row)}>{describeTrial(view.row)}</a>
              </th>
              {TOTALS.map(([name, read]) => (
                <td key={name} class="number">
                  {read(view)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrollable>
  );
}

const STEPS_SHOWN = 200;

function PairSteps({ a, b }: PairProps) {
  const aligned = useMemo(() => alignSteps(pairSteps(a.timeline ?? []), pairSteps(b.timeline ?? [])), [a, b]);
  const [isAll, setAll] = useState(false);
  if (aligned.length === 0) return null;
  const shared = aligned.filter((pair) => pair.a !== null && pair.b !== null).length;
  return (
    <section aria-labelledby="pair-steps">
      <h2 id="pair-steps">
        Steps <span class="quiet">{formatPlural(shared, "step")} in both, aligned by kind and tool</span>
      </h2>
      <table class="table pair-steps">
        <caption class="unseen">Steps of both trials, aligned</caption>
        <thead>
          <tr>
            <th scope="col">A: {describeTrial(a.row)}</th>
            <th scope="col">B: {describeTrial(b.row)}</th>
          </tr>
        </thead>
        <tbody>
          {aligned.slice(0, isAll ? undefined : STEPS_SHOWN).map((pair, index) => (
            <tr key={index}>
              <PairStep entry={pair.a} />
              <PairStep entry={pair.b} />
            </tr>
          ))}
        </tbody>
      </table>
      {!isAll && aligned.length > STEPS_SHOWN && (
        <button type="button" class="text-more" onClick={() => setAll(true)}>
          Show all {formatCount(aligned.length)} lines
        </button>
      )}
    </section>
  );
}

const MAX_GIST_LENGTH = 160;

function PairStep({ entry }: { entry: TimelineEntry | null }) {
  if (entry === null)
    return (
      <td class="pair-gap">
        <span class="unseen">no such step</span>
      </td>
    );
  const { step, result } = entry;
  const spent = [
    ...(step.stepCostUsd === null ? [] : [formatDollars(step.stepCostUsd)]),
    ...(step.stepTokens === null ? [] : [`${formatCount(step.stepTokens)} tok`]),
    ...(result === null ? [] : [formatMilliseconds(Math.max(0, result.atMs - step.atMs))]),
  ].join(" · ");
  return (
    <td class={`pair-step step-${step.kind}${hasFailed(entry) ? " step-failed" : ""}`}>
      <span class="step-time">{formatMilliseconds(Math.max(0, step.atMs))}</span>{" "}
      <span class="step-kind">{STEP_KIND_WORDS[step.kind]}</span>{" "}
      <bdi>{revealLine(joinLines((step.title || step.text).slice(0, MAX_GIST_LENGTH)))}</bdi>
      {hasFailed(entry) && step.kind !== "kill" && <span class="step-result"> ✕ failed</span>}
      {spent !== "" && <span class="step-spent"> {spent}</span>}
    </td>
  );
}

function PairResponses({ a, b }: PairProps) {
  return (
    <div class="texts">
      {[a, b].map((view, side) => {
        const response = view.output.find(({ name }) => name === "response");
        const name = `Response of ${side === 0 ? "A" : "B"}`;
        return (
          <section key={side} aria-label={name}>
            <h2>{name}</h2>
            {response === undefined ? (
              <p class="quiet">No response is stored.</p>
            ) : (
              <LongText label={name} text={response.text} length={response.length} kind={response.kind} />
            )}
          </section>
        );
      })}
    </div>
  );
}
