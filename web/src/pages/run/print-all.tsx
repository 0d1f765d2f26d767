import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { formatCount } from "../../ui/index.js";
import type { RowTable } from "../rows/row-table.js";
import { useRows } from "../rows/use-rows.js";
import { buildGridColumns } from "./grid-columns.js";

/** About ten sheets. */
const MAX_PRINTED_ROWS = 400;

interface PrintAllProps {
  id: string;
  /** Rows are read again when it changes. */
  state: string;
  summary: ComponentChildren;
  charts: ComponentChildren;
}

/** All parts of a run below each other; prints them as soon as the rows are there. */
export function PrintAll({ id, state, summary, charts }: PrintAllProps) {
  const { table, isComplete, problem } = useRows(id, state);
  useEffect(() => {
    if (!isComplete) return;
    // Charts are drawn once they know their width.
    const timer = setTimeout(() => window.print(), 300);
    return () => clearTimeout(timer);
  }, [isComplete]);
  return (
    <>
      <h2>Summary</h2>
      {summary}
      {charts}
      <h2>Rows</h2>
      {problem !== null && (
        <p class="problem" role="alert">
          {problem}
        </p>
      )}
      {table !== null && <PrintedRows table={table} />}
    </>
  );
}

function PrintedRows({ table }: { table: RowTable }) {
  const columns = buildGridColumns(table, { fields: null, sortedBy: "", labels: null }).filter(
    ({ isUnsorted }) => !isUnsorted,
  );
  const count = Math.min(table.length, MAX_PRINTED_ROWS);
  return (
    <>
      {count < table.length && (
        <p class="quiet">
          The first {formatCount(count)} of {formatCount(table.length)} rows.
        </p>
      )}
      <div class="printed-rows">
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
      </div>
    </>
  );
}
