export type { FileProblem } from "../utils/files/yaml.js";
export { bundledPrice, type PriceQuery } from "./bundled-prices.js";
export { CostBudget, type CostBudgetOptions } from "./cost-budget.js";
export { loadModels, type ModelEntry, type ModelsFile, ModelsFileError, type PriceOrigin } from "./models-file.js";
export { computeCost, createPrice, type Pricing, toDollars } from "./price.js";
export {
  type Endpoint,
  getDefaultBaseUrl,
  getKeyVariable,
  getProviderDialect,
  resolveEndpoint,
} from "./providers.js";
export { type BudgetRule, type Budgets, type ResolvedBudgets, resolveBudgets } from "./resolve.js";
export { type Reservation, RunBudget, type RunBudgetOptions, type SettleOptions } from "./run-budget.js";
