import { formatDay } from "../../ui/dates.js";
import { formatPlural } from "../../ui/format.js";
import { buildRowsAddress, type FigureScope } from "./asked.js";
import { ChangeText, ComparePreviousLink } from "./change-cell.js";
import { describeCertainty, summarizeChanges } from "./changes.js";
import { formatDatasetNames, type LeaderboardData, type LeaderboardEntry } from "./parts.js";

/** How many lines the list on top has at most. */
const MAX_CHANGES_LISTED = 5;

/** What changed since the last runs, the surest and largest first. */
export function RecentChanges({ boards, scope }: { boards: readonly LeaderboardData[]; scope: FigureScope }) {
  const entries = boards.flatMap((board) => board.entries);
  const { moved, unchanged, fresh } = summarizeChanges(entries);
  if (entries.length === 0) return null;
  return (
    <section class="news" aria-labelledby="news">
      <h2 id="news">What changed since the last run</h2>
      {moved.length > 0 && (
        <ul class="plain-list">
          {moved.slice(0, MAX_CHANGES_LISTED).map(({ entry, change }) => (
            <li key={entry.key}>
              <a href={buildRowsAddress(entry, scope)}>{entry.name}</a>
              {boards.length > 1 && ` on ${findDatasetTitle(entry, boards)}`}: {change.words}{" "}
              <ChangeText change={change} />{" "}
              <span class="quiet">
                since {formatDay(entry.previous?.run.createdAt ?? "")}, {describeCertainty(change)} ·{" "}
              </span>
              <ComparePreviousLink entry={entry} />
            </li>
          ))}
        </ul>
      )}
      <p class="quiet">{describeRemainingChanges(moved.length, unchanged, fresh)}</p>
    </section>
  );
}

function findDatasetTitle(entry: LeaderboardEntry, boards: readonly LeaderboardData[]): string {
  return formatDatasetNames(boards.find(({ entries }) => entries.includes(entry))?.group.datasets ?? []);
}

function describeRemainingChanges(moved: number, unchanged: number, fresh: number): string {
  if (moved + unchanged === 0)
    return "No system has an earlier run on the same examples, so there is nothing to hold it against yet.";
  const more = moved - MAX_CHANGES_LISTED;
  const parts = [
    more > 0 && `${formatPlural(more, "more system")} moved, see the tables below`,
    unchanged > 0 && `${formatPlural(unchanged, "system")} as before`,
    fresh > 0 && `${formatPlural(fresh, "system")} new`,
  ].filter(Boolean);
  return parts.length === 0 ? "" : `${parts.join("; ")}.`;
}
