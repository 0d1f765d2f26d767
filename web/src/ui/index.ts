export { formatOrder, parseOrder, type SortOrder, toggleOrder } from "../../../src/report/dashboard/order.js";
export { formatMoment } from "./dates.js";
export { FilterBar, SelectFilter, TextFilter } from "./filters.js";
export {
  formatCount,
  formatDollars,
  formatMilliseconds,
  formatNumber,
  formatPlural,
  formatRunCost,
  formatScore,
  formatSeconds,
  formatShare,
} from "./format.js";
export { type KeyValue, KeyValues } from "./key-values.js";
export { PageHead } from "./page-head.js";
export { StatusBadge } from "./status-badge.js";
export { type Tab, Tabs } from "./tabs.js";
