/** What goes wrong. */
export type Fault =
  /** An error instead of an answer. */
  | { readonly kind: "status"; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** The connection ends before any answer. */
  | { readonly kind: "reset" }
  /** The connection ends after so many bytes of the body. */
  | { readonly kind: "cut"; readonly after: number }
  /** The body has one wrong byte. */
  | { readonly kind: "wrong" }
  /** The body comes in pieces of so many bytes, with a pause before each. */
  | { readonly kind: "slow"; readonly bytes: number; readonly pauseMs: number }
  /** The body stops after so many bytes, and the connection stays open: for good, or until the promise holds. */
  | { readonly kind: "stall"; readonly after: number; readonly until?: Promise<unknown> }
  /** The whole file is answered, whatever range was asked for. */
  | { readonly kind: "no-ranges" }
  /** The file is said to be another than before. */
  | { readonly kind: "etag"; readonly etag: string }
  /** This text instead of the answer's body. */
  | { readonly kind: "text"; readonly text: string };

/** A fault, whom it meets and how often. */
export type FaultPlan = Fault & {
  /** Part of the decoded path; any unless given. */
  readonly path?: string;
  /** How many requests it meets; one unless given. */
  readonly times?: number;
};

/** What a fault is looked for: any request at all, or one whose answer is the content of a file. */
export type Stage = "request" | "content";

const STAGE: Readonly<Record<Fault["kind"], Stage>> = {
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

/** The faults that are still to come. */
export class FaultQueue {
  readonly plans: FaultPlan[];
  readonly #used = new Map<FaultPlan, number>();

  constructor(plans: readonly FaultPlan[]) {
    this.plans = [...plans];
  }

  /** The first fault that fits and is not used up; using it counts. */
  take(path: string, stage: Stage): Fault | null {
    const plan = this.plans.find((each) => this.#fits(each, path, stage));
    if (plan === undefined) return null;
    this.#used.set(plan, (this.#used.get(plan) ?? 0) + 1);
    return plan;
  }

  #fits(plan: FaultPlan, path: string, stage: Stage): boolean {
    const isLeft = (this.#used.get(plan) ?? 0) < (plan.times ?? 1);
    return isLeft && STAGE[plan.kind] === stage && path.includes(plan.path ?? "");
  }
}
