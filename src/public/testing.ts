/** Testing systems and plugins: a local endpoint that simulates models. */
export {
  FAULT_KINDS,
  type FaultKind,
  type Mock,
  type MockCounts,
  type MockFault,
  type MockOptions,
  type MockRequest,
  type MockScript,
  startMock,
} from "../testing/mock/index.js";
