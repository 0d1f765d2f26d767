import type { EvalsView } from "../../../src/report/dashboard/contract.js";
import {
  describeDetectable,
  describeLift,
  formatCostDelta,
  formatSignedInterval,
  formatTimeDelta,
} from "../../../src/report/experiment-cells.js";
import { buildAddress, formatPlural, revealLine } from "../ui/index.js";

type Experiment = NonNullable<EvalsView["experiment"]>;

interface ExperimentAnswerProps {
  /** Of the run. */
  id: string;
  experiment: Experiment;
}

/** An experiment with a single variant has nothing to tell apart. */
export function hasLifts(experiment: Experiment | null): experiment is Experiment {
  return experiment !== null && experiment.lifts.length > 0;
}

/** What each variant changes: variants run test cases of their own, so the answer is the lift and not a ranking. */
export function ExperimentAnswer({ id, experiment: { baseline, lifts, sequential } }: ExperimentAnswerProps) {
  const name = revealLine(baseline);
  return (
    <>
      <section class="answers" aria-label={`Lift of each variant; baseline: ${name}`}>
        {lifts.map((lift) => (
          <article key={lift.variant} class="answer">
            <h2>
              Variant; baseline: <bdi>{name}</bdi>
            </h2>
            <a class="answer-name" href={buildAddress(["run", id, "cases"])}>
              <bdi>{revealLine(lift.variant)}</bdi>
            </a>
            <p class="answer-figure">
              <b class={`compared-${lift.lift}`}>{describeLift(lift, sequential)}</b>{" "}
              <span class="quiet">pass rate {formatSignedInterval(lift.passRate)}</span>
            </p>
            <p class="answer-reason">
              Cost per trial {formatCostDelta(lift.costUsd, lift.costChange)}, time per trial{" "}
              {formatTimeDelta(lift.seconds, lift.timeChange)}, over {formatPlural(lift.paired, "paired test case")}.
            </p>
          </article>
        ))}
      </section>
      {sequential === null &&
        describeDetectable(lifts).map((note) => (
          <p key={note} class="answer-note">
            Note: {revealLine(note)}.
          </p>
        ))}
    </>
  );
}
