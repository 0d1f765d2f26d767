export { type DayRange, formatDay, formatMoment, isWithin } from "./dates.js";
export { EmptyState } from "./empty-state.js";
export { type Choice, DateFilter, FilterBar, SelectFilter, TextFilter } from "./filters.js";
export {
  type Formatter,
  formatCount,
  formatDollars,
  formatGrowth,
  formatInterval,
  formatMilliseconds,
  formatNumber,
  formatScore,
  formatSeconds,
  formatShare,
  formatStep,
  type Interval,
  NOTHING,
  plural,
} from "./format.js";
export { IntervalCell } from "./interval-cell.js";
export { type KeyValue, KeyValues } from "./key-values.js";
export { nextOrder, type Order, orderText, parseOrder, type SortValue, sortedBy } from "./order.js";
export { PageHead } from "./page-head.js";
export { StatusBadge } from "./status-badge.js";
export { SortableTable } from "./table.js";
export type { Column } from "./table-column.js";
export { type Tab, Tabs } from "./tabs.js";
