import type { ComponentChildren } from "preact";

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
