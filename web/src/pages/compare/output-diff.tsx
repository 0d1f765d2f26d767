import { useEffect, useRef } from "preact/hooks";
import type { TaskName } from "../../../../src/compare/index.js";
import type { TrialView } from "../../../../src/views/contract.js";
import type { DataSource, TrialKey } from "../../data/source.js";
import { useSource } from "../../shell/context.js";
import { useLoaded, WhenLoaded } from "../../shell/loaded.js";
import { changeQuery, type Route } from "../../shell/route.js";
import { SelectFilter } from "../../ui/index.js";
import { OutcomeBadge } from "../trial/outcome-badge.js";
import { visibleLine } from "../trial/text/visible-text.js";
import { trialAddress } from "../trial/trial-address.js";
import { DiffView } from "./diff-view.js";
import type { Sides } from "./flips.js";
import { idsTyped, taskWord } from "./task-word.js";

interface OutputDiffProps {
  route: Route;
  task: TaskName;
  sides: Sides;
}

interface BothTrials {
  readonly a: TrialView;
  readonly b: TrialView;
}

/** What A and B answered to one task, and how that differs; fetched when it is asked for. */
export function OutputDiff({ route, task, sides }: OutputDiffProps) {
  const source = useSource();
  const heading = useRef<HTMLHeadingElement>(null);
  const trials = [Number(route.query.trialA ?? 0), Number(route.query.trialB ?? 0)] as const;
  const loaded = useLoaded(
    () => bothTrials(source, sides, task, trials),
    [source, JSON.stringify([sides, task, trials])],
  );
  useEffect(() => heading.current?.focus(), [taskWord(task)]);
  return (
    <section class="output-diff" aria-labelledby="output-diff">
      <h3 id="output-diff" ref={heading} tabIndex={-1}>
        Outputs for <bdi>{visibleLine(String(task.exampleId))}</bdi>
      </h3>
      <WhenLoaded loaded={loaded} what="both outputs">
        {(both) => <Compared route={route} sides={sides} both={both} />}
      </WhenLoaded>
    </section>
  );
}

async function bothTrials(
  source: DataSource,
  sides: Sides,
  task: TaskName,
  [trialA, trialB]: readonly [number, number],
): Promise<BothTrials> {
  const { runA, runB, systemA, systemB } = sides;
  const [a, b] = await Promise.all([
    trialOf(source, runA, { ...task, system: systemA, trial: trialA }),
    trialOf(source, runB, { ...task, system: systemB, trial: trialB }),
  ]);
  return { a, b };
}

/** An id that somebody typed may be a number or a text. */
async function trialOf(source: DataSource, run: string, key: TrialKey): Promise<TrialView> {
  const [first = key.exampleId, second] =
    typeof key.exampleId === "number" ? [key.exampleId, String(key.exampleId)] : idsTyped(key.exampleId);
  try {
    return await source.trial(run, { ...key, exampleId: first });
  } catch (error) {
    if (second === undefined) throw error;
    return source.trial(run, { ...key, exampleId: second });
  }
}

function Compared({ route, sides, both }: { route: Route; sides: Sides; both: BothTrials }) {
  const source = useSource();
  const fields = [...new Set([...both.a.output, ...both.b.output].map(({ name }) => name))];
  const field = fields.find((name) => name === route.query.field) ?? fields[0];
  const texts = useLoaded(
    async () => ({
      a: await textOf(source, sides.runA, both.a, field),
      b: await textOf(source, sides.runB, both.b, field),
    }),
    [both, field],
  );
  const unit = route.query.by === "lines" ? "lines" : "words";
  const isSideBySide = route.query.view !== "unified";
  const change = (words: Record<string, string>) => changeQuery(route, words);
  return (
    <>
      <div class="diff-sides">
        <SideHead side="A" run={sides.runA} view={both.a} />
        <SideHead side="B" run={sides.runB} view={both.b} />
      </div>
      <div class="filters">
        {fields.length > 1 && (
          <SelectFilter
            label="Field"
            value={field}
            all={null}
            choices={fields}
            onChange={(name) => change({ field: name })}
          />
        )}
        <SelectFilter
          label="Compare by"
          value={unit}
          all={null}
          choices={["words", "lines"]}
          onChange={(by) => change({ by })}
        />
        <SelectFilter
          label="Show"
          value={isSideBySide ? "side" : "unified"}
          all={null}
          choices={[
            { value: "side", label: "side by side" },
            { value: "unified", label: "as one text" },
          ]}
          onChange={(view) => change({ view })}
        />
      </div>
      {field === undefined && <p class="quiet">Neither output is kept.</p>}
      <WhenLoaded loaded={texts} what="both texts">
        {({ a, b }) => <DiffView a={a} b={b} unit={unit} isSideBySide={isSideBySide} />}
      </WhenLoaded>
    </>
  );
}

function SideHead({ side, run, view: { row } }: { side: string; run: string; view: TrialView }) {
  return (
    <p>
      <b>{side}</b> <OutcomeBadge outcome={row.outcome} />{" "}
      <a href={trialAddress(run, row)}>
        <bdi>{visibleLine(row.system)}</bdi>, trial {row.trial}
      </a>
    </p>
  );
}

async function textOf(source: DataSource, run: string, view: TrialView, name: string | undefined): Promise<string> {
  const field = view.output.find((candidate) => candidate.name === name);
  if (field === undefined) return "";
  if (field.text.length >= field.length) return field.text;
  return source.text(run, view.row, { of: "output", name: field.name });
}
