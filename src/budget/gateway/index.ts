export { type Gateway, type GatewayOptions, startGateway } from "./gateway.js";
export type { GatewayBudget } from "./ledger.js";
export type { PriceOf } from "./prices.js";
export type { GatewayRequest, Receipt, ReceiptLine } from "./receipt.js";
export type { GatewayTotal } from "./tally.js";
