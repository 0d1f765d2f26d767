import type { ComponentChildren } from "preact";
import { formatCount, formatQuantity } from "./format.js";

interface EmptyStateProps {
  title: string;
  /** A command that helps. */
  command?: string;
  children?: ComponentChildren;
}

/**
 * Says why a page is empty, and what to do.
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

export function NoRunsState() {
  return (
    <EmptyState title="There are no runs yet" command="npx assay demo">
      The demo needs no key and no network. When it is done, it is listed here.
    </EmptyState>
  );
}

interface NewestRunsNoticeProps {
  runs: readonly unknown[];
  total: number;
  unread: number;
}

/** Says that a page does not cover all runs. */
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
