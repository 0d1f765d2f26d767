import { formatCount, formatQuantity } from "./format.js";

interface NewestRunsNoticeProps {
  runs: readonly unknown[];
  /** How many there are. */
  total: number;
  /** How many are not read yet. */
  unread: number;
}

/** Says that there are more runs than the page is drawn from, where that is so. */
export function NewestRunsNotice({ runs, total, unread }: NewestRunsNoticeProps) {
  if (runs.length >= total && unread === 0) return null;
  return (
    <p class="quiet" role="status">
      {runs.length < total &&
        `This page has the newest ${formatCount(runs.length)} of ${formatQuantity(total, "run")}. `}
      {unread > 0 && `${formatQuantity(unread, "more run")} to read …`}
    </p>
  );
}
