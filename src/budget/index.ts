/** Prices, models.yml, and the budgets of trials and runs; the metering gateway. */
export type { FileProblem } from "../utils/index.js";
export {
  bundledPrice,
  explainPrice,
  findPrice,
  formatLockKey,
  openPriceBook,
  type PriceBook,
  type PriceExplanation,
  type PriceQuery,
} from "./bundled-prices.js";
export { CostBudget, type CostBudgetOptions } from "./cost-budget.js";
export { type FaultRule, formatFaultRules, parseFaultRules, TrialFaults } from "./gateway/faults.js";
export { type Gateway, type GatewayOptions, startGateway } from "./gateway/gateway.js";
export type { GatewayBudget, GatewayTotal } from "./gateway/ledger.js";
export { PROVIDERS, type PriceLookup, type ProviderName } from "./gateway/provider.js";
export { countAllTokens, type GatewayRequest, type Receipt, type ReceiptLine } from "./gateway/receipt.js";
export type { CallObserver, ObservedCall, TrafficObserver } from "./gateway/traffic-observer.js";
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
  selectServicePrice,
  type TierPricing,
  toDollars,
  toPicoDollars,
} from "./price.js";
export {
  formatPriceLock,
  formatPriceTable,
  LOCK_FILE,
  type LockedPrice,
  PRICES_FILE,
  type PriceTable,
  parsePriceTable,
} from "./price-table.js";
export {
  type Endpoint,
  explainMissingUrl,
  getDefaultBaseUrl,
  getKeyVariable,
  getProviderDialect,
  getProviderRequest,
  isKnownProvider,
  listKeyVariables,
  listMissingVariables,
  listProviderKeys,
  listSecretVariables,
  type ProviderRequest,
  requireBaseUrl,
  resolveEndpoint,
} from "./providers.js";
export { type BudgetRule, type Budgets, type ResolvedBudgets, resolveBudgets } from "./resolve.js";
export { AGENT_NAMES, ALL_AGENT_NAMES, COMMAND_AGENT_NAMES, checkAmount, requireRule } from "./rules.js";
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
export { explainUnknownModel } from "./unknown-model.js";
