export { type Gateway, type GatewayOptions, startGateway } from "./gateway.js";
export type { GatewayBudget, GatewayTotal } from "./ledger.js";
export type { PriceLookup } from "./provider.js";
export type { GatewayRequest, Receipt, ReceiptLine } from "./receipt.js";
