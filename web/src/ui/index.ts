export { formatOrder, parseOrder, type SortOrder, toggleOrder } from "../../../src/report/dashboard/order.js";
export { OutcomeBadge, StatusBadge } from "./badges.js";
export { type ColumnFormat, type ColumnKind, chooseColumnFormat, findBestValue } from "./column-format.js";
export { isCommandKey } from "./command-key.js";
export { CompareBar, type ComparePick, formatPicks, PickBox, type PickState, parsePicks } from "./compare-bar.js";
export { DiffLines } from "./diff-lines.js";
export { DateFilter, FilterBar, MultiSelectFilter, NumberFilter, SelectFilter, TextFilter } from "./filters.js";
export {
  type DayRange,
  formatCount,
  formatDay,
  formatDollars,
  formatGrowth,
  formatInterval,
  formatMilliseconds,
  formatMoment,
  formatNumber,
  formatPlural,
  formatQuantity,
  formatRunCost,
  formatScore,
  formatSeconds,
  formatShare,
  formatStep,
  isWithinDays,
  MISSING,
} from "./format.js";
export { LongText, TextBlocks } from "./long-text.js";
export { stripMarkdown } from "./markdown.js";
export { EmptyState, NewestRunsNotice, NoRunsState } from "./notices.js";
export { PageHead } from "./page-head.js";
export { formatShownRange, Pager } from "./pager.js";
export { joinLines, RevealedText, revealLine, revealText } from "./revealed-text.js";

export { buildAddress, navigate, parseRoute, type Route, type RouteQuery, updateQuery, useRoute } from "./route.js";
export { Scrollable } from "./scrollable.js";
export { Skeleton } from "./skeleton.js";
export { getAriaSort, getSortMark, SortableTable, sortRows, type TableColumn } from "./table.js";
export { type Tab, Tabs } from "./tabs.js";
export { runInSlices, throttle, useGrowingCount, useSettledValue, waitForNextTask } from "./timing.js";
export { DateAndTime, IntervalCell, type KeyValue, KeyValues } from "./values.js";
