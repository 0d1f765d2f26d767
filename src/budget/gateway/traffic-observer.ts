import type { GatewayDialectName } from "../../models/index.js";
import type { GatewayRequest } from "./receipt.js";
import type { RouteKind } from "./route.js";

/** A model call as its client sent it. */
export interface ObservedCall {
  readonly dialect: GatewayDialectName;
  readonly kind: RouteKind;
  /** Without the query. */
  readonly path: string;
  readonly json: Readonly<Record<string, unknown>>;
}

/** Follows the model calls that pass through a gateway. It gets what the meter has parsed anyway, and changes nothing. */
export interface TrafficObserver {
  /** Called when a request has arrived, before it is forwarded. */
  startCall(call: ObservedCall): CallObserver;
}

/** Follows one call. Its methods must not throw. */
export interface CallObserver {
  /** Called with each event of a streamed answer. */
  readEvent(event: unknown): void;
  /** Called with an answer that is not streamed. */
  readWhole(body: unknown): void;
  /** Part of the answer was too large to read. */
  markUnreadable(): void;
  /** Called once, with the record of the call. */
  end(request: GatewayRequest): void;
}
