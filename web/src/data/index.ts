export { createEmbeddedSource, readEmbeddedReport } from "./embedded.js";
export {
  type LoadState,
  LoadView,
  ServerNotice,
  SourceProvider,
  useLoadState,
  useServerReturns,
  useSource,
} from "./load.js";
export { type RunCards, useRunCards, useRunPage } from "./run-cards.js";
export { createServedSource } from "./served.js";
export { type ComparisonQuery, type DataSource, type SingleRun, SourceError, type TrialKey } from "./source.js";
