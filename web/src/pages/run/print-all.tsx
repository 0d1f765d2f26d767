import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { MAX_EXCERPT_EXAMPLES } from "../../../../src/report/dashboard/choose-trial.js";
import { formatCount, MISSING, Scrollable } from "../../ui/index.js";
import type { RowTable } from "../rows/row-table.js";
import { useRows } from "../rows/use-rows.js";
import { buildGridColumns, type GridColumn } from "./grid-columns.js";
import { OutputsTable, useExampleGroups } from "./outputs-tab.js";

/** About ten sheets. */
const MAX_PRINTED_ROWS = 400;

interface PrintAllProps {
  id: string;
  /** Rows are read again when it changes. */
  state: string;
  summary: ComponentChildren;
  /** Null where the run has no test cases. */
  cases: ComponentChildren;
  charts: ComponentChildren;
}

/** All parts of a run below each other; prints them as soon as rows and outputs are there. */
export function PrintAll({ id, state, summary, cases, charts }: PrintAllProps) {
  const rows = useRows(id, state);
  const groups = useExampleGroups(rows);
  const [hasTexts, setHasTexts] = useState(false);
  const { table, isComplete, problem } = rows;
  const isReady = isComplete && (hasTexts || groups?.length === 0);
  useEffect(() => {
    if (!isReady) return;
    // Charts are drawn once they know their width.
    const timer = setTimeout(() => window.print(), 300);
    return () => clearTimeout(timer);
  }, [isReady]);
  return (
    <div class="print-all" aria-busy={!isReady && problem === null}>
      <h2>Summary</h2>
      {summary}
      {cases !== null && (
        <>
          <h2>Test cases</h2>
          {cases}
        </>
      )}
      <h2>Charts</h2>
      {charts}
      {problem !== null && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {table !== null && groups !== null && groups.length > 0 && (
        <>
          <h2>Outputs</h2>
          <PrintedCount shown={Math.min(groups.length, MAX_EXCERPT_EXAMPLES)} total={groups.length} of="examples" />
          <OutputsTable
            id={id}
            table={table}
            groups={groups.slice(0, MAX_EXCERPT_EXAMPLES)}
            state={state}
            flips={null}
            onLoaded={() => setHasTexts(true)}
          />
        </>
      )}
      <h2>Rows</h2>
      {table !== null && <PrintedRows table={table} />}
    </div>
  );
}

/** Says how much of a long list is left out. */
export function PrintedCount({ shown, total, of }: { shown: number; total: number; of: string }) {
  if (shown >= total) return null;
  return (
    <p class="quiet">
      The first {formatCount(shown)} of {formatCount(total)} {of}; {formatCount(total - shown)} are left out.
    </p>
  );
}

/** More would be too narrow for their figures. */
const MAX_PRINTED_COLUMNS = 12;

/** Without texts and columns that are empty in all printed rows. */
function choosePrintedColumns(table: RowTable, count: number): { columns: GridColumn[]; left: GridColumn[] } {
  const places = Array.from({ length: count }, (_, place) => place);
  const known = buildGridColumns(table, { fields: null, sortedBy: "", labels: null }).filter(
    ({ isUnsorted, text }) => !isUnsorted && places.some((place) => !EMPTY_CELLS.has(text(table, place, undefined))),
  );
  return { columns: known.slice(0, MAX_PRINTED_COLUMNS), left: known.slice(MAX_PRINTED_COLUMNS) };
}

const EMPTY_CELLS: ReadonlySet<string> = new Set(["", MISSING]);

function PrintedRows({ table }: { table: RowTable }) {
  const count = Math.min(table.length, MAX_PRINTED_ROWS);
  const { columns, left } = choosePrintedColumns(table, count);
  return (
    <>
      <PrintedCount shown={count} total={table.length} of="rows" />
      {left.length > 0 && <p class="quiet">Columns left out: {left.map(({ title }) => title).join(", ")}.</p>}
      <Scrollable class="printed-rows" label="Rows">
        <table class="table">
          <caption class="unseen">Rows</caption>
          <thead>
            <tr>
              {columns.map(({ key, title, isNumeric }) => (
                <th key={key} scope="col" class={isNumeric ? "number" : undefined}>
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {Array.from({ length: count }, (_, place) => (
              <tr key={place}>
                {columns.map(({ key, isNumeric, text }) => (
                  <td key={key} class={isNumeric ? "number" : undefined}>
                    {text(table, place, undefined)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Scrollable>
    </>
  );
}
