export type { MockCounts, MockRequest } from "./request-log.js";
export type { FaultKind, MockFault, MockScript } from "./script.js";
export { FAULT_KINDS } from "./script.js";
export { type Mock, type MockOptions, startMock } from "./server.js";
