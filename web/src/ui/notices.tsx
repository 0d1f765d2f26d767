import type { ComponentChildren } from "preact";
import { formatCount, formatQuantity } from "./format.js";

interface EmptyStateProps {
  title: string;
  /** What to type to have something to see. */
  command?: string;
  children?: ComponentChildren;
}

/**
 * Says why there is nothing to see, and what to do.
 * @example
 * <EmptyState title="There are no runs yet" command="npx assay demo">The demo needs no key and no network.</EmptyState>
 */
export function EmptyState({ title, command, children }: EmptyStateProps) {
  return (
    <div class="empty">
      <p class="empty-title">{title}</p>
      {children !== undefined && <p>{children}</p>}
      {command !== undefined && (
        <pre>
          <code>{command}</code>
        </pre>
      )}
    </div>
  );
}

/** What stands where no run was ever kept. */
export function NoRunsState() {
  return (
    <EmptyState title="There are no runs yet" command="npx assay demo">
      The demo needs no key and no network. When it is done, it is listed here.
    </EmptyState>
  );
}

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
