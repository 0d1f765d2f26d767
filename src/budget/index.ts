/** Prices, models.yml, and the budgets of trials and runs; the metering gateway. */
export type { FileProblem } from "../utils/index.js";
export { bundledPrice, type PriceQuery } from "./bundled-prices.js";
export { CostBudget, type CostBudgetOptions } from "./cost-budget.js";
export { type Gateway, type GatewayOptions, startGateway } from "./gateway/gateway.js";
export type { GatewayBudget, GatewayTotal } from "./gateway/ledger.js";
export { PROVIDERS, type PriceLookup, type ProviderName } from "./gateway/provider.js";
export { countAllTokens, type GatewayRequest, type Receipt, type ReceiptLine } from "./gateway/receipt.js";
export { buildModelsJsonSchema } from "./model-schema.js";
export {
  createPriceLimits,
  findBundledLimits,
  findConfiguredModel,
  findModelsFile,
  loadModels,
  MODELS_FILES,
  type ModelEntry,
  type ModelsFile,
  ModelsFileError,
  type PriceOrigin,
} from "./models-file.js";
export {
  computeCost,
  createPrice,
  estimateMaxCost,
  isFreeSystem,
  type MaxCostEstimate,
  type Pricing,
  toDollars,
  toPicoDollars,
} from "./price.js";
export {
  type Endpoint,
  getDefaultBaseUrl,
  getKeyVariable,
  getProviderDialect,
  listKeyVariables,
  requireBaseUrl,
  resolveEndpoint,
} from "./providers.js";
export { type BudgetRule, type Budgets, type ResolvedBudgets, resolveBudgets } from "./resolve.js";
export { AGENT_NAMES, checkAmount, requireRule } from "./rules.js";
export {
  MIN_TRIALS,
  RESERVE_MARGIN,
  RESERVE_QUANTILE,
  type Reservation,
  RunBudget,
  type RunBudgetOptions,
  type SettleOptions,
} from "./run-budget.js";
export { RunningQuantile } from "./running-quantile.js";
