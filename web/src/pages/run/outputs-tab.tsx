import { useEffect, useState } from "preact/hooks";
import { MAX_EXCERPT_EXAMPLES } from "../../../../src/report/dashboard/choose-trial.js";
import type { ExampleExcerpts, RunCard } from "../../../../src/report/dashboard/contract.js";
import { type DataSource, useLoadState, useSource } from "../../data/index.js";
import {
  FilterBar,
  formatPlural,
  formatScore,
  formatShownRange,
  MISSING,
  OutcomeBadge,
  Pager,
  type Route,
  revealLine,
  revealText,
  runInSlices,
  Scrollable,
  SelectFilter,
  Skeleton,
  stripMarkdown,
  TextFilter,
  updateQuery,
} from "../../ui/index.js";
import { type ExampleGroup, filterExamples, groupExamples, type OutputCell } from "../rows/group-examples.js";
import type { RowTable } from "../rows/row-table.js";
import { type LoadedRows, useRows, useTextSearch } from "../rows/use-rows.js";
import { buildTrialAddress } from "../trial-address.js";
import { BaselineFilter, type Flip, type Flips, useBaselines, useFlips } from "./baseline.js";

const SHOW_CHOICES = [
  { value: "differ", label: "Systems differ" },
  { value: "failed", label: "Failed" },
  { value: "flipped", label: "Flipped since baseline" },
];

interface OutputsTabProps {
  route: Route;
  run: RunCard;
  /** Rows are read again when it changes. */
  state: string;
}

/** What every system answered to each example, side by side. */
export function OutputsTab({ route, run, state }: OutputsTabProps) {
  const { id } = run;
  const rows = useRows(id, state);
  const groups = useExampleGroups(rows);
  const { show, text = "", page } = route.query;
  const search = useTextSearch(id, text);
  const baselines = useBaselines(run);
  const baseline = show === "flipped" ? (route.query.baseline ?? baselines?.[0]?.id ?? null) : null;
  const flips = useFlips(baseline, id, state);
  const change = (words: Record<string, string | undefined>) =>
    updateQuery({ ...route, path: ["run", id, "outputs"] }, words);
  if (rows.problem !== null)
    return (
      <p class="problem" role="alert">
        {rows.problem}
      </p>
    );
  if (rows.table === null || groups === null) return <Skeleton of="outputs" />;
  const wanted = text.trim().toLowerCase();
  const isFlipped = ({ dataset, id: exampleId }: ExampleGroup) =>
    run.systems.some(({ system }) => flips.value?.get(system, { dataset, exampleId }) !== undefined);
  const matching = show === "flipped" ? groups.filter(isFlipped) : filterExamples(groups, show);
  const systems = matchSystems(rows.table.head.systems, wanted);
  const found = matching.filter(
    ({ id: example, dataset }) =>
      wanted === "" ||
      systems.length > 0 ||
      String(example).toLowerCase().includes(wanted) ||
      (search.matches?.get(example) ?? []).some((match) => match.dataset === dataset),
  );
  const last = Math.max(1, Math.ceil(found.length / MAX_EXCERPT_EXAMPLES));
  const offset = (Math.min(Math.max(1, Math.trunc(Number(page)) || 1), last) - 1) * MAX_EXCERPT_EXAMPLES;
  const shown = found.slice(offset, offset + MAX_EXCERPT_EXAMPLES);
  const range = { offset, count: shown.length, total: found.length };
  return (
    <>
      <h2 class="unseen">Outputs</h2>
      <FilterBar onClear={show || text ? () => change({ show: "", text: "", page: "" }) : null}>
        <SelectFilter
          label="Show"
          value={show}
          choices={SHOW_CHOICES}
          onChange={(next) => change({ show: next, baseline: "", page: "" })}
        />
        {baseline !== null && baselines !== null && (
          <BaselineFilter
            baselines={baselines}
            value={baseline}
            onChange={(next) => change({ baseline: next, page: "" })}
          />
        )}
        <TextFilter
          label="Search"
          value={text}
          placeholder="id, system, text"
          onChange={(next) => change({ text: next, page: "" })}
        />
      </FilterBar>
      <p class="rows-state" role="status">
        {formatShownRange(range, "example")}
        {show === "flipped" && baselines?.length === 0 && (
          <span class="warn"> · No earlier run over the same dataset can be the baseline.</span>
        )}
        {flips.state === "loading" && <span class="quiet"> · comparing with the baseline …</span>}
        {flips.state === "failed" && <span class="problem"> · {revealLine(flips.problem)}</span>}
        {search.isSearching && <span class="quiet"> · searching the texts …</span>}
        {search.isCut && <span class="warn"> · too many texts match: the first are shown</span>}
        {search.problem !== null && <span class="problem"> · {search.problem}</span>}
      </p>
      {shown.length > 0 && (
        <OutputsTable id={id} table={rows.table} systems={systems} groups={shown} state={state} flips={flips.value} />
      )}
      <Pager {...range} size={MAX_EXCERPT_EXAMPLES} onPage={(next) => change({ page: String(next) })} />
    </>
  );
}

/** Systems whose name contains the text: only their outputs are shown. Empty if none does. */
export function matchSystems(systems: readonly string[], text: string): readonly string[] {
  return text === "" ? [] : systems.filter((system) => system.toLowerCase().includes(text));
}

/** Null until the rows are complete. */
export function useExampleGroups({ table, version, isComplete }: LoadedRows): readonly ExampleGroup[] | null {
  const [groups, setGroups] = useState<readonly ExampleGroup[] | null>(null);
  useEffect(() => {
    if (table === null || !isComplete) return;
    const gone = new AbortController();
    runInSlices(groupExamples(table), gone.signal).then(setGroups, () => {
      // Aborted for newer rows.
    });
    return () => gone.abort();
  }, [table, version, isComplete]);
  return groups;
}

function formatName({ dataset, id }: { dataset: string; id: string | number }): string {
  return JSON.stringify([dataset, id]);
}

async function loadExcerpts(source: DataSource, run: string, groups: readonly ExampleGroup[]) {
  const datasets = [...new Set(groups.map(({ dataset }) => dataset))];
  const answers = await Promise.all(
    datasets.map((name) =>
      source.getExcerpts(
        run,
        name,
        groups.filter(({ dataset }) => dataset === name).map(({ id }) => id),
      ),
    ),
  );
  return new Map(answers.flat().map((one) => [formatName({ dataset: one.dataset, id: one.exampleId }), one]));
}

interface OutputsTableProps {
  id: string;
  table: RowTable;
  /** The systems to show. Default: all. */
  systems?: readonly string[];
  groups: readonly ExampleGroup[];
  state: string;
  flips: Flips | null;
  /** Called when the texts are there, or cannot be read. */
  onLoaded?: () => void;
}

export function OutputsTable({ id, table, systems = [], groups, state, flips, onLoaded }: OutputsTableProps) {
  const source = useSource();
  const columns = systems.length === 0 ? table.head.systems : systems;
  const names = groups.map(formatName);
  const loaded = useLoadState(() => loadExcerpts(source, id, groups), [source, id, state, names.join()]);
  const texts = loaded.value;
  useEffect(() => {
    if (loaded.state !== "loading") onLoaded?.();
  }, [loaded.state]);
  const isLeftOut = source.kind === "file" && texts !== null && names.some((name) => !texts.has(name));
  return (
    <>
      {loaded.state === "failed" && (
        <p class="problem" role="alert">
          {loaded.problem}
        </p>
      )}
      {isLeftOut && (
        <p class="quiet">Some texts were left out of this file to keep it small. See them with: assay serve</p>
      )}
      <Scrollable class="table-scroll" label="Outputs">
        <table class="outputs">
          <thead>
            <tr>
              <th scope="col">Question</th>
              <th scope="col">Expected</th>
              {columns.map((system) => (
                <th key={system} scope="col">
                  {revealLine(system)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {groups.map((group, place) => (
              <ExampleRow
                key={names[place]}
                id={id}
                table={table}
                systems={columns}
                group={group}
                flips={flips}
                texts={texts?.get(names[place] ?? "")}
              />
            ))}
          </tbody>
        </table>
      </Scrollable>
    </>
  );
}

interface ExampleRowProps {
  id: string;
  table: RowTable;
  systems: readonly string[];
  group: ExampleGroup;
  flips: Flips | null;
  texts: ExampleExcerpts | undefined;
}

function ExampleRow({ id, table, systems, group, flips, texts }: ExampleRowProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <tr class={isOpen ? "is-open" : ""}>
      <th scope="row">
        <button type="button" class="plain" data-key-stop aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <span aria-hidden="true">{isOpen ? "▾" : "▸"}</span> {revealLine(String(group.id))}
        </button>
        <span class="excerpt">{revealText(joinParagraphs(stripMarkdown(texts?.question ?? "")))}</span>
      </th>
      <td data-label="Expected">
        <span class="excerpt">{revealText(texts?.expected ?? MISSING)}</span>
      </td>
      {systems.map((system) => (
        <td key={system} data-label={revealLine(system)}>
          <OutputCellView
            id={id}
            table={table}
            cell={group.cells.get(table.head.systems.indexOf(system))}
            flip={flips?.get(system, { dataset: group.dataset, exampleId: group.id })}
            text={texts?.responses.find((response) => response.system === system)?.text ?? ""}
          />
        </td>
      ))}
    </tr>
  );
}

interface OutputCellProps {
  id: string;
  table: RowTable;
  cell: OutputCell | undefined;
  flip: Flip | undefined;
  text: string;
}

function OutputCellView({ id, table, cell, flip, text }: OutputCellProps) {
  if (cell === undefined) return <span class="quiet">{MISSING}</span>;
  const score = table.columns.score[cell.place] ?? Number.NaN;
  return (
    <>
      <a href={buildTrialAddress(id, table.getKey(cell.place))}>
        <OutcomeBadge outcome={table.getOutcome(cell.place)} /> {formatScore(Number.isNaN(score) ? null : score)}
        {cell.trials > 1 && (
          <span title={`${cell.passed} of ${formatPlural(cell.trials, "trial")} passed`}>
            {` · ${cell.passed}/${cell.trials}`}
          </span>
        )}
      </a>
      {flip !== undefined && <FlipMark {...flip} />}
      <span class="excerpt">
        {text === "" ? (
          <i class="quiet">{describeMissingText(table, cell)}</i>
        ) : (
          revealText(joinParagraphs(stripMarkdown(text)))
        )}
      </span>
    </>
  );
}

/** Empty lines would fill an excerpt of three lines. */
function joinParagraphs(text: string): string {
  return text.replace(/\n\s*\n/g, "\n");
}

function FlipMark({ to, passed, trials }: Flip) {
  return (
    <span class={`flip flip-${to}`}>
      {to === "fail" ? "▼" : "▲"} from {passed}/{trials}
    </span>
  );
}

/** The error where there is no output because of it. */
function describeMissingText(table: RowTable, { place }: OutputCell): string {
  const category = table.getCategory(place);
  return category === "none" ? "" : category;
}
