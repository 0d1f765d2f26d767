import type { System } from "../core/system.js";
import type { UngradedOutput } from "../runner/call.js";
import { makePlan, type Plan } from "../runner/plan.js";
import type { EncodedTrial, FinishedTrial } from "../runner/ports.js";
import { type EarlierResults, NO_EARLIER_RESULTS, RowCollector } from "../runner/row-collector.js";
import type { Announcement } from "./contract.js";
import { QueueSigner } from "./signer.js";

/** Signs like a run that uses a Redis on this machine. */
export const SAMPLE_SIGNER = new QueueSigner("");

/** A plan for tests: these systems and this many examples, one trial each. */
export async function createSamplePlan(systems: readonly string[], examples: number): Promise<Plan> {
  return makePlan({
    systems: systems.map((name): System => ({ name, process: () => ({ response: "a" }) })),
    datasets: [Array.from({ length: examples }, (_, i) => ({ id: `e${i}`, question: `q${i}`, answer: "a" }))],
    metrics: [],
  });
}

/** The announcement of a test run. */
export function createSampleAnnouncement(key: string, more: Partial<Announcement> = {}): Announcement {
  return {
    schema: "assay.queue/1",
    key,
    runId: key,
    title: "A run",
    assayVersion: "0",
    source: null,
    budget: {},
    identity: { planned: 1, systems: {}, config: {} as Announcement["identity"]["config"] },
    retry: { maxRetries: 0 } as unknown as Announcement["retry"],
    giveUpAfterMs: 60_000,
    maxWorkers: null,
    sharedDir: null,
    ...more,
  };
}

/** Keeps everything in memory. */
export class SampleSink {
  readonly entries: { finished: FinishedTrial; encoded: EncodedTrial | undefined }[] = [];
  readonly outputs: UngradedOutput[] = [];
  /** Called before each entry is kept. */
  onAppend: () => void = () => {};

  append(finished: FinishedTrial, encoded?: EncodedTrial): void {
    this.onAppend();
    this.entries.push({ finished, encoded });
  }

  appendOutput(ungraded: UngradedOutput): boolean {
    this.outputs.push(ungraded);
    return true;
  }

  flush(): void {}
}

export function createSamplePorts(sink: SampleSink, signal = new AbortController().signal) {
  return { clock: () => performance.now(), tokenizer: { count: () => 0 }, sink, onProgress: null, signal };
}

export function createSampleCollector(
  plan: Plan,
  sink: SampleSink,
  earlier: EarlierResults = NO_EARLIER_RESULTS,
): RowCollector {
  return new RowCollector(plan, createSamplePorts(sink), earlier);
}
