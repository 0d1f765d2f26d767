import { join } from "node:path";
import { RunFolderError } from "../core/errors.js";
import type { EvalResult } from "../core/result.js";
import type { TrialKey } from "../core/row.js";
import type { CompareView, QueueView, RunCard, RunFilter, RunView, TrialView } from "../report/dashboard/contract.js";
import {
  compareView,
  QueueFile,
  RunList,
  runView,
  searchTrials,
  TrialFiles,
  trialText,
  trialView,
  workersNow,
} from "../report/dashboard/index.js";
import { readManifest } from "../store/journal.js";
import { type LoadRun, OpenRuns } from "./open-runs.js";
import { type RunNews, watchRun } from "./run-watch.js";
import { RunsWatch } from "./runs-watch.js";

export interface WantedComparison {
  a: string;
  b: string;
  systemA?: string | undefined;
  systemB?: string | undefined;
}

/** A view that was worked out, of the card it was worked out with. */
interface KeptView {
  card: RunCard;
  view: RunView;
}

interface FoundRun {
  dir: string;
  card: RunCard;
}

/** Answers what the page asks about the runs of one folder, in the words of `src/report/dashboard`. */
export class RunDesk {
  readonly #runsDir: string;
  readonly #list: RunList;
  readonly #open: OpenRuns;
  readonly #listWatch: RunsWatch;
  readonly #files = new TrialFiles();
  /** The charts of many rows take long, and a result stays the same for as long as the files of its run do. */
  readonly #views = new WeakMap<EvalResult, KeptView>();

  constructor({ runsDir, load }: { runsDir: string; load: LoadRun }) {
    this.#runsDir = runsDir;
    this.#listWatch = new RunsWatch(runsDir);
    this.#open = new OpenRuns(load);
    this.#list = new RunList({ runsDir, load: (dir, { soFar }) => this.#open.result(dir, soFar) });
  }

  async runs(filter: RunFilter): Promise<RunCard[]> {
    const cards = await this.#list.list(filter);
    return cards.map((card) => this.#withWorkers(card));
  }

  async run(id: string): Promise<RunView> {
    const found = await this.#find(id);
    // Read each time: it changes every second, while the rest is worked out again now and then.
    return { ...(await this.#view(found)), queue: queueNow(found) };
  }

  async #view({ dir, card }: FoundRun): Promise<RunView> {
    const result = await this.#result({ dir, card });
    const kept = this.#views.get(result);
    if (kept?.card === card) return kept.view;
    const view = runView({ result, manifest: readManifest(dir), card });
    this.#views.set(result, { card, view });
    return view;
  }

  async result(id: string): Promise<EvalResult> {
    return this.#result(await this.#find(id));
  }

  async trial(id: string, key: TrialKey): Promise<TrialView> {
    const { dir, card } = await this.#find(id);
    const { rows } = await this.#result({ dir, card });
    const { systems } = readManifest(dir);
    return trialView({ dir, rows, key, threshold: card.threshold, run: card.id, systems, files: this.#files });
  }

  async text(id: string, key: TrialKey, field: { of: "example" | "output"; name: string }): Promise<string> {
    const { dir } = await this.#find(id);
    return trialText({ dir, key, ...field, files: this.#files });
  }

  async search(
    id: string,
    text: string,
    signal: AbortSignal,
  ): Promise<{ matches: readonly TrialKey[]; isCut: boolean }> {
    const found = await this.#find(id);
    const { rows } = await this.#result(found);
    return searchTrials({ dir: found.dir, rows, text, signal });
  }

  async compare({ a, b, systemA, systemB }: WantedComparison): Promise<CompareView> {
    const [first, second] = [await this.#find(a), await this.#find(b)];
    return compareView({
      a: { card: first.card, result: await this.#result(first) },
      b: { card: second.card, result: await this.#result(second) },
      systemA,
      systemB,
    });
  }

  async watch(id: string, signal: AbortSignal): Promise<AsyncGenerator<RunNews>> {
    const { dir, card } = await this.#find(id);
    const status = async () => (await this.#find(id)).card.status;
    return watchRun({ dir, planned: card.planned, status }, signal);
  }

  /** Tells when the list of runs has changed, until the returned function is called. */
  watchList(listener: () => void): Promise<() => void> {
    return this.#listWatch.listen(listener);
  }

  #withWorkers(card: RunCard): RunCard {
    if (card.status !== "running") return card;
    const workers = workersNow(queueNow({ dir: join(this.#runsDir, card.id), card }));
    return workers === null ? card : { ...card, workers };
  }

  #result({ dir, card }: FoundRun): Promise<EvalResult> {
    // One that was stopped before its first trial was over has nothing to show, but what it was can be shown.
    return this.#open.result(dir, card.status === "running" || card.done === 0);
  }

  async #find(id: string): Promise<FoundRun> {
    const card = await this.#list.card(id);
    if (card === null) throw new RunFolderError(`There is no run ${id} in ${this.#runsDir}.`);
    if (card.problem !== null) throw new RunFolderError(card.problem);
    return { dir: join(this.#runsDir, id), card };
  }
}

function queueNow({ dir, card }: FoundRun): QueueView | null {
  return new QueueFile(dir).look({ isGoing: card.status === "running" });
}
