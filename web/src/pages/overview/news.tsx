import { formatDay } from "../../ui/dates.js";
import { formatPlural } from "../../ui/format.js";
import { type Asked, rowsAddress } from "./asked.js";
import { ChangeLine, CompareLink } from "./change-cell.js";
import { certaintyWords, newsOf } from "./changes.js";
import { type Board, type Entry, titleOf } from "./parts.js";

/** How many lines the list on top has at most. */
const MOST = 5;

/** What changed since the last runs, the surest and largest first. */
export function NewsList({ boards, asked }: { boards: readonly Board[]; asked: Asked }) {
  const entries = boards.flatMap((board) => board.entries);
  const { moved, unchanged, fresh } = newsOf(entries);
  if (entries.length === 0) return null;
  return (
    <section class="news" aria-labelledby="news">
      <h2 id="news">What changed since the last run</h2>
      {moved.length > 0 && (
        <ul class="plain-list">
          {moved.slice(0, MOST).map(({ entry, change }) => (
            <li key={entry.key}>
              <a href={rowsAddress(entry, asked)}>{entry.name}</a>
              {boards.length > 1 && ` on ${askedOf(entry, boards)}`}: {change.words} <ChangeLine change={change} />{" "}
              <span class="quiet">
                since {formatDay(entry.previous?.run.createdAt ?? "")}, {certaintyWords(change)} ·{" "}
              </span>
              <CompareLink entry={entry} />
            </li>
          ))}
        </ul>
      )}
      <p class="quiet">{restInWords(moved.length, unchanged, fresh)}</p>
    </section>
  );
}

function askedOf(entry: Entry, boards: readonly Board[]): string {
  return titleOf(boards.find(({ entries }) => entries.includes(entry))?.part.datasets ?? []);
}

function restInWords(moved: number, unchanged: number, fresh: number): string {
  if (moved + unchanged === 0)
    return "No system has an earlier run on the same examples, so there is nothing to hold it against yet.";
  const more = moved - MOST;
  const parts = [
    more > 0 && `${formatPlural(more, "more system")} moved, see the tables below`,
    unchanged > 0 && `${formatPlural(unchanged, "system")} as before`,
    fresh > 0 && `${formatPlural(fresh, "system")} new`,
  ].filter(Boolean);
  return parts.length === 0 ? "" : `${parts.join("; ")}.`;
}
