export { type Gateway, type GatewayOptions, startGateway } from "./gateway.js";
export type { GatewayTotal } from "./ledger.js";
export type { GatewayRequest } from "./receipt.js";
