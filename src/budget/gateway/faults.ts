import {
  CALL_FAULT_KINDS,
  type CallFaultKind,
  didYouMean,
  type FaultSource,
  type InjectedFault,
  isDelayFault,
  type PlannedFault,
  UsageError,
} from "../../core/index.js";
import { hashSeed } from "../../stats/index.js";

/** How often a fault occurs. */
export interface FaultRule {
  readonly kind: CallFaultKind;
  /** The share of model calls. */
  readonly rate: number;
  /** The Retry-After of a status, or the length of a delay; null for no Retry-After. */
  readonly seconds: number | null;
}

/** A rate limit names a time; other statuses do not. */
const DEFAULT_SECONDS: Readonly<Partial<Record<CallFaultKind, number>>> = { "429": 1, slow: 2, stall: 2 };

const TAKES_SECONDS: readonly CallFaultKind[] = ["429", "500", "503", "529", "slow", "stall"];

const MAX_SECONDS = 3600;

/** Rounding of sums such as 0.7 + 0.2 + 0.1. */
const SUM_TOLERANCE = 1e-9;

/**
 * Parses faults and the share of model calls that each affects.
 * @example
 * parseFaultRules("429=0.1,cut=0.05,slow=0.1:5"); // slow: delayed by 5 seconds
 */
export function parseFaultRules(text: string): FaultRule[] {
  const rules = text.split(",").map((part) => parseFaultRule(part.trim(), text));
  const twice = rules.find(({ kind }, at) => rules.findIndex((other) => other.kind === kind) < at);
  if (twice !== undefined) throw new UsageError(`The fault ${twice.kind} is given twice. Name every fault once.`);
  const sum = rules.reduce((total, { rate }) => total + rate, 0);
  if (sum > 1 + SUM_TOLERANCE)
    throw new UsageError(
      `The shares of the faults add up to ${Number(sum.toPrecision(6))}, but a model call has at most one fault. Make them add up to at most 1.`,
    );
  return rules;
}

function parseFaultRule(part: string, text: string): FaultRule {
  const [, name = "", share, seconds] = /^([^=:]*)(?:=([^:]*))?(?::(.*))?$/.exec(part) ?? [];
  if (name.trim() === "")
    throw new UsageError(`Faults are written like 429=0.1,cut=0.05, but one of ${JSON.stringify(text)} has no name.`);
  const kind = requireFaultKind(name.trim());
  if (share === undefined)
    throw new UsageError(`The fault ${kind} has no share of model calls. Write ${kind}=0.1 for every tenth.`);
  const rate = parseNumber(share);
  if (!(rate >= 0 && rate <= 1))
    throw new UsageError(
      `The share of the fault ${kind} must be a number from 0 to 1, but is ${JSON.stringify(share)}. Write ${kind}=0.1 for every tenth model call.`,
    );
  return { kind, rate, seconds: parseFaultSeconds(kind, seconds) };
}

function requireFaultKind(name: string): CallFaultKind {
  const kind = CALL_FAULT_KINDS.find((known) => known === name);
  if (kind !== undefined) return kind;
  throw new UsageError(`Unknown fault ${JSON.stringify(name)}.${didYouMean(name, CALL_FAULT_KINDS)}`);
}

function parseFaultSeconds(kind: CallFaultKind, text: string | undefined): number | null {
  if (text === undefined) return DEFAULT_SECONDS[kind] ?? null;
  if (!TAKES_SECONDS.includes(kind))
    throw new UsageError(`The fault ${kind} takes no seconds, but has ":${text}". Remove it.`);
  const seconds = parseNumber(text);
  if (seconds >= 0 && seconds <= MAX_SECONDS) return seconds;
  throw new UsageError(
    `The seconds of the fault ${kind} must be a number from 0 to ${MAX_SECONDS}, but are ${JSON.stringify(text)}.`,
  );
}

/** NaN for an empty text, which Number reads as 0. */
function parseNumber(text: string): number {
  return /^\s*(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i.test(text) ? Number(text) : Number.NaN;
}

/** Formats faults as they are given. */
export function formatFaultRules(rules: readonly FaultRule[]): string {
  const format = ({ kind, rate, seconds }: FaultRule) => {
    const isDefault = seconds === (DEFAULT_SECONDS[kind] ?? null);
    return `${kind}=${rate}${isDefault ? "" : `:${seconds}`}`;
  };
  return rules.map(format).join(",");
}

export interface TrialFaultsOptions {
  readonly rules: readonly FaultRule[];
  /** Of the trial: the same trial gets the same faults again. */
  readonly seed: number;
  /** Milliseconds, monotonic. */
  readonly now?: () => number;
}

/** The faults of one trial. Whether a call fails depends only on the seed and on the number of the call. */
export class TrialFaults implements FaultSource {
  readonly injected: InjectedFault[] = [];
  readonly #options: TrialFaultsOptions;
  readonly #now: () => number;
  /** When each injected fault happened, while no complete answer has come since. */
  #unrecovered: { readonly at: number; readonly index: number }[] = [];
  #requests = 0;

  constructor(options: TrialFaultsOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
  }

  /** All faults share one draw, so that their shares add up. */
  next(): PlannedFault | null {
    const request = this.#requests;
    this.#requests += 1;
    let draw = hashSeed(this.#options.seed, "fault", request) / 2 ** 32;
    for (const { kind, rate, seconds } of this.#options.rules) {
      if (draw < rate) return { kind, request, seconds };
      draw -= rate;
    }
    return null;
  }

  recordFault({ kind, request }: PlannedFault): void {
    if (!isDelayFault(kind)) this.#unrecovered.push({ at: this.#now(), index: this.injected.length });
    this.injected.push({ kind, request, recoveryMs: null });
  }

  recordAnswer(): void {
    const now = this.#now();
    for (const { at, index } of this.#unrecovered) {
      const fault = this.injected[index];
      if (fault !== undefined) this.injected[index] = { ...fault, recoveryMs: Math.round((now - at) * 1000) / 1000 };
    }
    this.#unrecovered = [];
  }
}
