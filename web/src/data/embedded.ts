import { cutExcerpt, isShownBefore } from "../../../src/report/dashboard/choose-trial.js";
import type {
  DisplayField,
  EmbeddedReport,
  ExampleExcerpts,
  LabelView,
  RunCard,
  TrialExcerpts,
  TrialView,
} from "../../../src/report/dashboard/contract.js";
import { findTrial } from "../../../src/report/dashboard/find-trial.js";
import { buildRunPage } from "../../../src/report/dashboard/run-query.js";
import { formatCount, waitForNextTask } from "../ui/index.js";
import { type DataSource, SourceError, type TrialKey } from "./source.js";

/** The element with the data of a page that was saved as a file. */
const DATA_ELEMENT_ID = "assay-data";

/** The report embedded in this page; null when the page comes from a server. */
export async function readEmbeddedReport(): Promise<EmbeddedReport | null> {
  const packed = document.getElementById(DATA_ELEMENT_ID)?.textContent?.trim();
  if (packed === undefined || packed === "") return null;
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return (await new Response(stream).json()) as EmbeddedReport;
}

const NO_FIGURE = { value: null, low: null, high: null, n: 0 };
const NO_LABELS: LabelView = {
  labels: [],
  agreement: {
    rightPassed: 0,
    rightFailed: 0,
    wrongPassed: 0,
    wrongFailed: 0,
    share: NO_FIGURE,
    kappa: NO_FIGURE,
    differing: [],
  },
};

/** A source that reads from the file. */
export function createEmbeddedSource(report: EmbeddedReport): DataSource {
  const trials = new Map(report.trials.map((trial) => [formatTrialKey(trial.row), trial]));
  const { card } = report.run;
  return {
    kind: "file",
    singleRun: { id: card.id, systems: card.systems.length },
    listRuns: async (query) => buildRunPage([card], query),
    listCards: async (ids) => (ids.includes(card.id) ? [card] : []),
    getRun: async (id) => (id === card.id ? report.run : refuse(`This file holds the run ${card.id} alone.`)),
    readRows: async (_id, receive, signal) => {
      receive.head(report.head);
      for (const chunk of report.chunks) {
        if (signal.aborted) return;
        receive.chunk(chunk);
        await waitForNextTask();
      }
    },
    getTrial: async (_id, key) => trials.get(formatTrialKey(key)) ?? getTrialWithoutDataset(report, trials, key),
    getText: async (_id, key, { of, name }) => getFieldText(trials.get(formatTrialKey(key)), of, name),
    getExcerpts: async (_id, dataset, ids) => ids.flatMap((id) => buildExcerpts(report.trials, dataset, id)),
    getTrialExcerpts: async (_id, keys) => keys.map((key) => buildTrialExcerpts(trials.get(formatTrialKey(key)))),
    searchTrials: async (_id, text) => {
      const found = report.trials.filter((trial) => hasText(trial, text.toLowerCase()));
      return { matches: found.map(({ row }) => row), isCut: false };
    },
    getLabels: async () => report.labels ?? NO_LABELS,
    canLabel: async () => false,
    saveLabel: async () => refuse("This file cannot be changed. Write labels with: assay serve --label"),
    compareRuns: async ({ systemA, systemB }) =>
      report.comparisons.find(({ comparison: { comparisons } }) =>
        comparisons.some((pair) => pair.systemA === systemA && pair.systemB === systemB),
      ) ?? refuse("There is no comparison of these two systems in this file."),
    watchRun: () => () => {},
    watchRuns: () => () => {},
    watchServer: () => () => {},
  };
}

/** An address that was written by hand may leave out the dataset. */
function getTrialWithoutDataset(
  report: EmbeddedReport,
  trials: ReadonlyMap<string, TrialView>,
  key: TrialKey,
): TrialView {
  const { found, datasets } = findTrial(
    report.trials.map(({ row }) => row),
    key,
  );
  if (datasets.length > 1)
    return refuse(`Several datasets have this trial. Add one to the address: ${datasets.join(", ")}.`);
  const trial = found === null ? undefined : trials.get(formatTrialKey(found));
  return trial ?? refuse(describeMissingTrial(report));
}

function refuse(problem: string): never {
  throw new SourceError(problem);
}

function describeMissingTrial({ trialsLeftOut, run }: EmbeddedReport): string {
  if (trialsLeftOut === 0) return "This file has no such trial.";
  return `The texts of ${trialsLeftOut} trials were left out of this file to keep it small. See them with: assay serve, or assay show ${(run.card as RunCard).id}`;
}

function formatTrialKey({ system, dataset, exampleId, trial }: TrialKey): string {
  return JSON.stringify([system, dataset, exampleId, trial]);
}

function getFieldText(trial: TrialView | undefined, of: "example" | "output", name: string): string {
  const field = trial?.[of]?.find((candidate) => candidate.name === name);
  if (field === undefined) return refuse("The text is not in this file.");
  return field.length > field.text.length ? refuse(describeTruncatedField(field)) : field.text;
}

function describeTruncatedField({ text, length }: DisplayField): string {
  return `This file holds only the beginning of the text, ${formatCount(text.length)} of its ${formatCount(length)} characters. See the whole of it with: assay serve`;
}

function hasText({ example, output }: TrialView, wanted: string): boolean {
  return [...(example ?? []), ...output].some(({ text }) => text.toLowerCase().includes(wanted));
}

/** Empty when the file has no trial of the example. */
function buildExcerpts(
  trials: readonly TrialView[],
  dataset: string,
  exampleId: string | number,
): readonly ExampleExcerpts[] {
  const shown = new Map<string, TrialView>();
  for (const trial of trials) {
    if (trial.row.dataset !== dataset || trial.row.exampleId !== exampleId) continue;
    const known = shown.get(trial.row.system);
    if (known === undefined || isShownBefore(trial.row, known.row)) shown.set(trial.row.system, trial);
  }
  const [first] = shown.values();
  if (first === undefined) return [];
  const { question, expected } = buildTrialExcerpts(first);
  const responses = [...shown].map(([system, trial]) => ({ system, text: buildTrialExcerpts(trial).response }));
  return [{ dataset, exampleId, question, expected, responses }];
}

/** Without texts when the file does not have the trial. */
function buildTrialExcerpts(trial: TrialView | undefined): TrialExcerpts {
  return {
    question: cutField(trial?.example, ["question", "turns"]),
    expected: cutField(trial?.example, ["answer", "answers"]),
    response: cutField(trial?.output, ["response"]),
  };
}

function cutField(fields: readonly DisplayField[] | null | undefined, names: readonly string[]): string | null {
  const field = names.flatMap((name) => fields?.find((candidate) => candidate.name === name) ?? [])[0];
  return field === undefined ? null : cutExcerpt(field.text);
}
