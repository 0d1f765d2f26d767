/** Models files, prices, budgets, the metering gateway and token counters. */
export {
  type Gateway,
  type GatewayBudget,
  type GatewayOptions,
  type GatewayRequest,
  type PriceLookup,
  type Receipt,
  type ReceiptLine,
  startGateway,
} from "../budget/gateway/index.js";
export {
  type BudgetRule,
  type Budgets,
  bundledPrice,
  CostBudget,
  type CostBudgetOptions,
  computeCost,
  createPrice,
  type FileProblem,
  loadModels,
  type ModelEntry,
  type ModelsFile,
  ModelsFileError,
  type PriceOrigin,
  type PriceQuery,
  type Pricing,
  type ResolvedBudgets,
  RunBudget,
  type RunBudgetOptions,
  resolveBudgets,
  type SettleOptions,
  toDollars,
} from "../budget/index.js";
export { type HttpClient, openClient } from "../models/http/index.js";
export { loadTokenizer, type MemoOptions, memoTokenizer, type TokenizerName } from "../models/tokens/index.js";
