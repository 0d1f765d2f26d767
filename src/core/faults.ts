/** Faults with an HTTP status: the request does not reach the provider. */
export const STATUS_CALL_FAULTS = ["429", "500", "503", "529"] as const;

/** All kinds of faults that can be injected into model calls. */
export const CALL_FAULT_KINDS = [...STATUS_CALL_FAULTS, "disconnect", "cut", "malformed", "slow", "stall"] as const;

/**
 * A fault of a model call: an error status, `disconnect` (the connection is reset before the answer), `cut` (it breaks in
 * the middle of the answer), `malformed` (the answer contains malformed JSON), `slow` (the request is delayed) and `stall`
 * (the answer pauses in the middle).
 */
export type CallFaultKind = (typeof CALL_FAULT_KINDS)[number];

/** What happens to one model call. */
export interface PlannedFault {
  readonly kind: CallFaultKind;
  /** The number of the call within its trial, from 0. */
  readonly request: number;
  /** The Retry-After of a status, or the length of a delay; null for no Retry-After. */
  readonly seconds: number | null;
}

/** A fault that was injected into a model call of a trial. */
export interface InjectedFault {
  readonly kind: CallFaultKind;
  /** The number of the call within its trial, from 0. */
  readonly request: number;
  /** Milliseconds from the fault to the end of the trial's next complete answer; null if none came, and for mere delays. */
  readonly recoveryMs: number | null;
}

export function isInjectedFault(value: unknown): value is InjectedFault {
  const { kind, request, recoveryMs } = (value ?? {}) as Partial<InjectedFault>;
  const isTime = recoveryMs === null || (typeof recoveryMs === "number" && recoveryMs >= 0);
  return CALL_FAULT_KINDS.some((known) => known === kind) && Number.isInteger(request) && isTime;
}

/** Decides which model calls of one trial fail. */
export interface FaultSource {
  /** Call for each model call as it arrives. Null if nothing happens to it. */
  next(): PlannedFault | null;
  /** Call when the fault has been injected: a planned one may find nothing to break. */
  recordFault(fault: PlannedFault): void;
  /** Call at the end of a complete answer. */
  recordAnswer(): void;
  /** The faults so far. */
  readonly injected: readonly InjectedFault[];
}

/** True for a fault that only delays an answer. */
export function isDelayFault(kind: CallFaultKind): boolean {
  return kind === "slow" || kind === "stall";
}

/** What a stress test does to the trials of one of its systems: nothing, inject faults, or reword the task. */
export interface StressArm {
  /** The name of the system under stress. */
  readonly system: string;
  /** `clean`, `faults`, or the kind of perturbation. */
  readonly kind: string;
}
