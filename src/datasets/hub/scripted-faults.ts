export type HubFault =
  /** An error status instead of an answer. */
  | { readonly kind: "status"; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** The connection ends before any answer. */
  | { readonly kind: "reset" }
  /** The connection ends after this many bytes of the body. */
  | { readonly kind: "cut"; readonly after: number }
  /** The body has one wrong byte. */
  | { readonly kind: "wrong" }
  /** The body comes in chunks of this many bytes, with a pause before each. */
  | { readonly kind: "slow"; readonly bytes: number; readonly pauseMs: number }
  /** The body stops after this many bytes with the connection open: forever, or until the promise resolves. */
  | { readonly kind: "stall"; readonly after: number; readonly until?: Promise<unknown> }
  /** Sends the whole file regardless of the requested range. */
  | { readonly kind: "no-ranges" }
  /** The file has a new version. */
  | { readonly kind: "etag"; readonly etag: string }
  /** This text instead of the body. */
  | { readonly kind: "text"; readonly text: string };

/** A fault, the requests it applies to, and how often. */
export type HubFaultPlan = HubFault & {
  /** Part of the decoded path. Default: any. */
  readonly path?: string;
  /** Number of requests it applies to. Default: 1. */
  readonly times?: number;
};

/** Whether a fault applies to any request, or to one for the content of a file. */
export type FaultStage = "request" | "content";

const FAULT_STAGES: Readonly<Record<HubFault["kind"], FaultStage>> = {
  status: "request",
  reset: "request",
  text: "request",
  cut: "content",
  wrong: "content",
  slow: "content",
  stall: "content",
  "no-ranges": "content",
  etag: "content",
};

export class FaultQueue {
  readonly plans: HubFaultPlan[];
  readonly #used = new Map<HubFaultPlan, number>();

  constructor(plans: readonly HubFaultPlan[]) {
    this.plans = [...plans];
  }

  /** Takes the first matching fault that is not used up. */
  take(path: string, stage: FaultStage): HubFault | null {
    const plan = this.plans.find((each) => this.#isMatch(each, path, stage));
    if (plan === undefined) return null;
    this.#used.set(plan, (this.#used.get(plan) ?? 0) + 1);
    return plan;
  }

  #isMatch(plan: HubFaultPlan, path: string, stage: FaultStage): boolean {
    const isLeft = (this.#used.get(plan) ?? 0) < (plan.times ?? 1);
    return isLeft && FAULT_STAGES[plan.kind] === stage && path.includes(plan.path ?? "");
  }
}
