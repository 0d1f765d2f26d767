import { LOW_COVERAGE } from "../../../../src/metrics/low-coverage.js";
import type { CaseCell, CaseLine, EvalsView, GraderLine, RunView } from "../../../../src/report/dashboard/contract.js";
import {
  describeDetectable,
  describeLift,
  formatCostDelta,
  formatSigned,
  formatSignedInterval,
  formatTimeDelta,
} from "../../../../src/report/experiment-cells.js";
import { formatNumber, formatSeconds } from "../../../../src/report/format.js";
import {
  buildAddress,
  formatCount,
  formatDollars,
  formatInterval,
  formatPlural,
  formatShare,
  IntervalCell,
  MISSING,
  revealLine,
  revealText,
  Scrollable,
} from "../../ui/index.js";
import { buildRowFilterQuery, type RowFilter } from "../row-filter.js";

type Experiment = NonNullable<EvalsView["experiment"]>;

/** The test cases of evals and experiments: what the variants change, which cases fail, and by which graders. */
export function CasesTab({ view, evals }: { view: RunView; evals: EvalsView }) {
  const { id } = view.card;
  return (
    <div class="cases">
      <h2 class="unseen">Test cases</h2>
      {evals.experiment !== null && <VariantLifts experiment={evals.experiment} />}
      <EvalParts evals={evals} />
      <ActivationTable evals={evals} />
      <CaseTable id={id} evals={evals} />
      <GraderTable id={id} graders={evals.graders} />
    </div>
  );
}

function NumberHeads({ titles }: { titles: readonly string[] }) {
  return (
    <>
      {titles.map((title) => (
        <th key={title} scope="col" class="number">
          {title}
        </th>
      ))}
    </>
  );
}

function VariantLifts({ experiment }: { experiment: Experiment }) {
  const { baseline, lifts, level, sequential } = experiment;
  const notes = [...experiment.notes, ...(sequential === null ? describeDetectable(lifts) : [])];
  const share = formatShare(level);
  return (
    <section>
      <h3>
        Difference from the baseline, <bdi>{revealLine(baseline)}</bdi>
      </h3>
      {lifts.map((lift) => (
        <p key={lift.variant} class="lift-line">
          <b>
            <bdi>{revealLine(lift.variant)}</bdi>: {describeLift(lift, sequential)}
          </b>
        </p>
      ))}
      <VariantTable experiment={experiment} />
      <LiftTable experiment={experiment} />
      <p class="quiet">
        {sequential === null
          ? `A variant counts as better or worse if the ${share} interval of its paired difference over test cases excludes 0 and the exact test is significant after Holm correction for ${formatPlural(lifts.length, "comparison")}.`
          : `The run stops when each variant is decided: its verdict and these intervals (${share} for differences) hold at any time. There are no fixed-sample tests, because they do not hold for such a run.`}
      </p>
      {notes.length > 0 && (
        <ul class="notes">
          {notes.map((note) => (
            <li key={note}>{revealText(note)}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

/** The variants as they are; what differs is in a table of its own, so that a column has one meaning. */
function VariantTable({ experiment }: { experiment: Experiment }) {
  const { variants, baseline, level, sequential } = experiment;
  const share = sequential === null ? formatShare(level) : `any time, ${formatShare(sequential.armLevel)}`;
  return (
    <Scrollable class="table-scroll" label="Figures of each variant">
      <table class="table">
        <caption class="unseen">Figures of each variant</caption>
        <thead>
          <tr>
            <th scope="col">Variant</th>
            <NumberHeads
              titles={[
                `Pass rate [${share}]`,
                `Mean score [${share}]`,
                "Cost per trial",
                "Cost per pass",
                "Time per trial",
                "Coverage",
              ]}
            />
          </tr>
        </thead>
        <tbody>
          {variants.map(({ name, passRate, meanScore, coverage, ...figures }) => (
            <tr key={name}>
              <th scope="row">
                <bdi>{revealLine(name)}</bdi>
                {name === baseline && <span class="quiet"> (baseline)</span>}
              </th>
              <td class="number">
                <IntervalCell {...passRate} format={formatNumber} />
              </td>
              <td class="number">
                <IntervalCell {...meanScore} format={formatNumber} />
              </td>
              <td class="number">{formatDollars(figures.meanCostUsd.value)}</td>
              <td class="number">{formatDollars(figures.costPerPassUsd)}</td>
              <td class="number">{formatSeconds(figures.meanSeconds.value)}</td>
              <td class={coverage !== null && coverage < LOW_COVERAGE ? "number warn" : "number"}>
                {coverage !== null && coverage < LOW_COVERAGE && "⚠ "}
                {formatShare(coverage)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrollable>
  );
}

function LiftTable({ experiment: { lifts, level, sequential } }: { experiment: Experiment }) {
  const share = `${sequential === null ? "" : "any time, "}${formatShare(level)}`;
  return (
    <Scrollable class="table-scroll" label="Lift of each variant">
      <table class="table">
        <caption class="unseen">Lift of each variant over the baseline</caption>
        <thead>
          <tr>
            <th scope="col">Variant</th>
            <th scope="col">{sequential === null ? "Lift" : "Verdict"}</th>
            <NumberHeads
              titles={[
                `Pass rate [${share}]`,
                ...(sequential === null ? ["p", "p adjusted"] : []),
                `Mean score [${share}]`,
                "Cost per trial",
                "Time per trial",
                "Paired test cases",
              ]}
            />
          </tr>
        </thead>
        <tbody>
          {lifts.map((lift) => (
            <tr key={lift.variant}>
              <th scope="row">
                <bdi>{revealLine(lift.variant)}</bdi>
              </th>
              <td>{describeLift(lift, sequential)}</td>
              <td class="number">{formatSignedInterval(lift.passRate)}</td>
              {sequential === null && (
                <>
                  <td class="number">{formatNumber(lift.passRate.p)}</td>
                  <td class="number">{formatNumber(lift.passRate.adjustedP)}</td>
                </>
              )}
              <td class="number">{formatSignedInterval(lift.meanScore)}</td>
              <td class="number">{formatCostDelta(lift.costUsd, lift.costChange)}</td>
              <td class="number">{formatTimeDelta(lift.seconds, lift.timeChange)}</td>
              <td class="number">{formatCount(lift.paired)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrollable>
  );
}

/** The gates and the score of each eval file. */
function EvalParts({ evals: { parts } }: { evals: EvalsView }) {
  return (
    <section>
      <h3>Evals</h3>
      <Scrollable class="table-scroll" label="Evals and their gates">
        <table class="table">
          <caption class="unseen">Evals and their gates</caption>
          <thead>
            <tr>
              <th scope="col">Eval</th>
              <th scope="col">System</th>
              <NumberHeads titles={["Pass rate [95 %]", "Score", "Trials", "Cost"]} />
              <th scope="col">Skill</th>
              <th scope="col">Gates</th>
            </tr>
          </thead>
          <tbody>
            {parts.map(({ eval: name, system, ...part }) => (
              <tr key={JSON.stringify([name, system])}>
                <th scope="row">
                  <bdi>{revealLine(name)}</bdi>
                </th>
                <td>
                  <bdi>{revealLine(system)}</bdi>
                </td>
                <td class="number">
                  {formatInterval({ value: part.passRate, ...toBounds(part.passRateInterval) }, (value) =>
                    formatNumber(value),
                  )}
                </td>
                <td class="number">{formatNumber(part.skill.score)}</td>
                <td class="number">
                  {formatCount(part.passed)} passed of {formatCount(part.planned)} planned
                </td>
                <td class="number">{formatDollars(part.costUsd)}</td>
                <td>{part.skill.skill === null ? MISSING : <bdi>{revealLine(part.skill.skill)}</bdi>}</td>
                <td>
                  {part.gates.length === 0
                    ? MISSING
                    : part.gates.map(({ metric, op, value, actual, passed }) => (
                        <span key={`${metric}${op}${value}`} class={`block ${passed ? "" : "warn"}`}>
                          {passed ? "✓" : "✗"} {metric} {op} {value}:{" "}
                          {actual === null ? "not measured" : formatNumber(actual)}, {passed ? "passed" : "failed"}
                        </span>
                      ))}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrollable>
    </section>
  );
}

/** Of the evals with trigger tests. */
function ActivationTable({ evals: { parts } }: { evals: EvalsView }) {
  const tested = parts.flatMap((part) => (part.triggers === null ? [] : [{ ...part, triggers: part.triggers }]));
  if (tested.length === 0) return null;
  return (
    <section>
      <h3>Activation of skills</h3>
      <p class="quiet">
        Precision: of the trials in which the skill was activated, the share in which it should have been. Recall: of
        the trials in which it should have been, the share in which it was.
      </p>
      <Scrollable class="table-scroll" label="Activation of skills">
        <table class="table">
          <caption class="unseen">Activation of skills</caption>
          <thead>
            <tr>
              <th scope="col">Skill</th>
              <th scope="col">System</th>
              <NumberHeads
                titles={[
                  "Precision",
                  "Recall",
                  "F1",
                  "Correctly activated",
                  "Wrongly activated",
                  "Missed",
                  "Correctly not activated",
                ]}
              />
            </tr>
          </thead>
          <tbody>
            {tested.map(({ eval: name, system, skill, triggers }) => (
              <tr key={JSON.stringify([name, system])}>
                <th scope="row">
                  <bdi>{revealLine(skill.skill ?? name)}</bdi>
                </th>
                <td>
                  <bdi>{revealLine(system)}</bdi>
                </td>
                <td class="number">{formatNumber(triggers.precision)}</td>
                <td class="number">{formatNumber(triggers.recall)}</td>
                <td class="number">{formatNumber(triggers.f1)}</td>
                <td class="number">{triggers.truePositives}</td>
                <td class="number">{triggers.falsePositives}</td>
                <td class="number">{triggers.falseNegatives}</td>
                <td class="number">{triggers.trueNegatives}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scrollable>
    </section>
  );
}

function CaseTable({ id, evals: { cases, systems, experiment } }: { id: string; evals: EvalsView }) {
  const hasSeveral = new Set(cases.map((line) => line.eval)).size > 1;
  const others = experiment === null ? [] : Object.keys(experiment.stimuli);
  return (
    <section>
      <h3>Pass rate of each test case</h3>
      <p class="quiet">With Wilson intervals over its trials. A figure leads to the rows behind it.</p>
      <Scrollable class="table-scroll" label="Test cases">
        <table class="table cases-table">
          <caption class="unseen">Pass rate of each test case</caption>
          <thead>
            <tr>
              {hasSeveral && <th scope="col">Eval</th>}
              <th scope="col">Test case</th>
              {systems.map((system) => (
                <th key={system} scope="col">
                  <bdi>{revealLine(system)}</bdi>
                </th>
              ))}
              {others.map((variant) => (
                <th key={variant} scope="col" class="number">
                  {others.length === 1 ? "Difference" : <bdi>{revealLine(variant)} − baseline</bdi>}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {cases.map((line) => (
              <tr key={JSON.stringify([line.eval, line.stimulus])}>
                {hasSeveral && (
                  <td>
                    <bdi>{revealLine(line.eval)}</bdi>
                  </td>
                )}
                <th scope="row">
                  <bdi>{revealLine(line.stimulus)}</bdi>
                </th>
                {systems.map((system) => (
                  <td key={system}>
                    {line.cells
                      .filter((cell) => cell.system === system)
                      .map((cell) => (
                        <CaseFigure key={cell.dataset} id={id} stimulus={line.stimulus} cell={cell} />
                      ))}
                  </td>
                ))}
                {others.map((variant) => (
                  <td key={variant} class="number">
                    {formatSigned(findDifference(experiment, variant, line))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrollable>
    </section>
  );
}

function CaseFigure({ id, stimulus, cell }: { id: string; stimulus: string; cell: CaseCell }) {
  const { system, dataset, passRate, passRateInterval, trials, outcomes, failed, why } = cell;
  const address = buildRowsAddress(id, { systems: [system], datasets: [dataset], text: stimulus });
  return (
    <>
      <a href={address}>
        <IntervalCell value={passRate} {...toBounds(passRateInterval)} format={formatNumber} />
        <span class="unseen">
          {" "}
          of {revealLine(stimulus)} by {revealLine(system)}
        </span>
      </a>
      <small class="quiet block">
        {formatCount(outcomes.pass)} of {formatPlural(trials, "trial")} passed
      </small>
      {[failed, why].map((reason) => reason !== null && <CaseReason key={reason} reason={reason} />)}
    </>
  );
}

function CaseReason({ reason }: { reason: string }) {
  return <small class="quiet block case-reason">{revealLine(reason)}</small>;
}

function findDifference(experiment: Experiment | null, variant: string, line: CaseLine): number | null {
  const stimuli = experiment !== null && Object.hasOwn(experiment.stimuli, variant) ? experiment.stimuli[variant] : [];
  const found = stimuli?.find((each) => each.eval === line.eval && each.stimulus === line.stimulus);
  return found?.difference ?? null;
}

function GraderTable({ id, graders }: { id: string; graders: readonly GraderLine[] }) {
  if (graders.length === 0) return null;
  const failing = graders.filter(({ failed }) => failed > 0).length;
  return (
    <section>
      <h3>Graders that fail most</h3>
      {failing === 0 && <p class="quiet">No grader failed.</p>}
      <Scrollable class="table-scroll" label="Graders">
        <table class="table">
          <caption class="unseen">Graders, those that fail most first</caption>
          <thead>
            <tr>
              <th scope="col">Grader</th>
              <th scope="col">Kind</th>
              <NumberHeads titles={["Failed", "Share"]} />
              <th scope="col">By system</th>
              <th scope="col">Example of a finding</th>
            </tr>
          </thead>
          <tbody>
            {graders.map((line) => (
              <GraderRow key={line.grader} id={id} line={line} />
            ))}
          </tbody>
        </table>
      </Scrollable>
      <p class="quiet">
        Failed: trials that failed and did not get the full score from this grader, of all scored trials.
      </p>
    </section>
  );
}

const KINDS = { code: "code", llm: "judge model" } as const;

function GraderRow({ id, line }: { id: string; line: GraderLine }) {
  const { grader, type, kind, ran, failed, systems, evidence } = line;
  const counts = `${formatCount(failed)} of ${formatCount(ran)}`;
  return (
    <tr>
      <th scope="row">
        <bdi>{revealLine(grader)}</bdi>
      </th>
      <td>
        {type !== null && type !== grader ? `${revealLine(type)}, ` : ""}
        {kind === null ? MISSING : KINDS[kind]}
      </td>
      <td class="number">
        {failed === 0 ? (
          counts
        ) : (
          <a href={buildRowsAddress(id, { field: grader, max: FAILED_SCORE, outcomes: ["fail"] })}>
            {counts}
            <span class="unseen"> trials with {revealLine(grader)} failed</span>
          </a>
        )}
      </td>
      <td class="number">{formatShare(ran === 0 ? 0 : failed / ran)}</td>
      <td>
        {systems
          .filter((each) => each.failed > 0)
          .map((each) => (
            <span key={each.system} class="block">
              <bdi>{revealLine(each.system)}</bdi>: {each.failed} of {each.ran}
            </span>
          ))}
      </td>
      <td class="grader-evidence">{evidence === "" ? MISSING : revealLine(evidence)}</td>
    </tr>
  );
}

/** A check with less than its full score has failed. */
const FAILED_SCORE = 0.999999;

function buildRowsAddress(id: string, filter: Partial<RowFilter>): string {
  return buildAddress(["run", id, "rows"], buildRowFilterQuery(filter));
}

function toBounds(interval: readonly [number, number] | null): { low: number | null; high: number | null } {
  return { low: interval?.[0] ?? null, high: interval?.[1] ?? null };
}
