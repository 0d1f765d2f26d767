import { formatCount, formatQuantity } from "./format.js";

interface PagerProps {
  /** The index of the first item shown. */
  offset: number;
  /** How many items are shown. */
  count: number;
  /** How many items there are on all pages. */
  total: number;
  /** How many items fit on a page. */
  size: number;
  /** Page numbers start at 1. */
  onPage: (page: number) => void;
}

export function Pager({ offset, count, total, size, onPage }: PagerProps) {
  if (total <= size) return null;
  const page = Math.floor(offset / size) + 1;
  return (
    <nav class="pager" aria-label="Pages of the list">
      <PageButton isEnd={offset === 0} onClick={() => onPage(page - 1)}>
        ← Previous
      </PageButton>
      <span class="quiet">
        Page {formatCount(page)} of {formatCount(Math.ceil(total / size))}
      </span>
      <PageButton isEnd={offset + count >= total} onClick={() => onPage(page + 1)}>
        Next →
      </PageButton>
    </nav>
  );
}

/** Not `disabled`, because a disabled button loses the focus. */
function PageButton({ isEnd, onClick, children }: { isEnd: boolean; onClick: () => void; children: string }) {
  return (
    <button type="button" aria-disabled={isEnd} onClick={() => !isEnd && onClick()}>
      {children}
    </button>
  );
}

/**
 * Which of many items are shown.
 * @example
 * formatShownRange({ offset: 100, count: 100, total: 20_000 }, "run"); // "101–200 of 20,000 runs"
 */
export function formatShownRange(
  { offset, count, total }: { offset: number; count: number; total: number },
  word: string,
): string {
  const range = count === 0 ? "0" : `${formatCount(offset + 1)}–${formatCount(offset + count)}`;
  return `${range} of ${formatQuantity(total, word)}`;
}
