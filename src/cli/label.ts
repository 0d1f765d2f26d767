import { createInterface } from "node:readline";
import { type EvalRow, EXIT, type Output, type TrialKey, UsageError } from "../core/index.js";
import { DEFAULT_HALF_WIDTH, type PlannedLabel, planLabels } from "../metrics/index.js";
import { formatPlural, renderLabelCorrections, TrialFiles, wrapText } from "../report/index.js";
import { readCountedRows } from "../runs/index.js";
import {
  appendTrialLabel,
  findRun,
  readLabelPlan,
  readManifest,
  readTrialLabels,
  type StoredExample,
  writeLabelPlan,
} from "../store/index.js";
import { correctRun } from "./read-label-sets.js";
import { createScreenLayout } from "./screen.js";
import { printNote, writeResult } from "./streams.js";

export interface LabelFlags {
  count?: number;
  system?: readonly string[];
  like?: string;
  labeler?: string;
  seed: number;
  runsDir: string;
}

const DEFAULT_COUNT = 60;
const MAX_TEXT_LINES = 40;
const WIDTH = 100;

const KEYS = "r right · w wrong · n note · s skip · u undo · q quit";

/** `assay label`: a person marks answers right or wrong, without seeing the system or its verdict. */
export async function executeLabel(name: string, flags: LabelFlags): Promise<number> {
  const runDir = findRun({ runsDir: flags.runsDir, name, onNote: printNote });
  const manifest = readManifest(runDir);
  if (manifest.config.until !== undefined)
    throw new UsageError("The run has --until, and labels correct runs of a fixed number of tasks only.");
  const { rows } = readCountedRows(runDir, manifest);
  const plan = openPlan(runDir, rows, flags);
  const session = new LabelSession(runDir, plan, flags.labeler ?? null);
  if (session.current === null) printNote(`All ${formatPlural(plan.length, "chosen trial")} have a label.`);
  else await askForLabels(session);
  const { left, total } = session;
  if (left > 0) printNote(`${total - left} of ${total} labeled. Go on with: assay label ${name}`);
  await reportCorrections(runDir, rows);
  return EXIT.fine;
}

/** The trials that were chosen for this run, chosen now if there are none yet or if more are wanted. */
function openPlan(runDir: string, rows: readonly EvalRow[], flags: LabelFlags): readonly PlannedLabel[] {
  const stored = readLabelPlan(runDir);
  const { count, system, like, seed } = flags;
  const asksForOther = system !== undefined || like !== undefined || count !== undefined;
  if (stored !== null) {
    if (asksForOther && (system !== undefined || like !== undefined || count !== stored.trials.length))
      throw new UsageError(
        `${formatPlural(stored.trials.length, "trial")} of this run ${stored.trials.length === 1 ? "was" : "were"} chosen already, and choosing others now would not be random. Go on without -n, --system and --like, or remove label-plan.json in ${runDir} to begin again.`,
      );
    return stored.trials;
  }
  const chosen = like === undefined ? choose(rows, flags) : chooseLike(rows, flags);
  writeLabelPlan(runDir, { seed, trials: [...chosen] });
  return chosen;
}

function choose(
  rows: readonly EvalRow[],
  { count = DEFAULT_COUNT, system, seed }: LabelFlags,
): readonly PlannedLabel[] {
  const known = [...new Set(rows.map((row) => row.system))];
  const unknown = system?.find((each) => !known.includes(each));
  if (unknown !== undefined) throw new UsageError(`The run has no system "${unknown}". It has: ${known.join(", ")}.`);
  const own = system === undefined ? rows : rows.filter((row) => system.includes(row.system));
  const chosen = planLabels(own, { count, seed });
  if (chosen.length === 0) throw new UsageError("No trial of this run passed or failed, so there is nothing to label.");
  if (chosen.length < count) printNote(`The run has only ${formatPlural(chosen.length, "trial")} with a verdict.`);
  return chosen;
}

/** The same examples as in another run, so that both can be compared. */
function chooseLike(
  rows: readonly EvalRow[],
  { like = "", system, runsDir, count }: LabelFlags,
): readonly PlannedLabel[] {
  if (count !== undefined) throw new UsageError("--like takes the trials of another run, so -n has no use. Remove it.");
  const otherDir = findRun({ runsDir, name: like, onNote: printNote });
  const other = readLabelPlan(otherDir);
  if (other === null)
    throw new UsageError(`No trials of ${like} were chosen yet. Begin with: assay label ${like} -n ${DEFAULT_COUNT}`);
  const chances = new Map(other.trials.map((trial) => [formatPair(trial), trial.chance]));
  const chosen = rows.flatMap(({ system: name, dataset, exampleId, trial, outcome }) => {
    const chance = chances.get(formatPair({ dataset, exampleId, trial }));
    const isWanted = (system === undefined || system.includes(name)) && (outcome === "pass" || outcome === "fail");
    return chance === undefined || !isWanted ? [] : [{ system: name, dataset, exampleId, trial, chance }];
  });
  if (chosen.length === 0) throw new UsageError(`This run has none of the examples that were chosen in ${like}.`);
  return chosen;
}

function formatPair({ dataset, exampleId, trial }: Omit<TrialKey, "system">): string {
  return JSON.stringify([dataset, exampleId, trial]);
}

/** Where a person is in the list of trials. Every label is stored at once. */
class LabelSession {
  readonly runDir: string;
  readonly #plan: readonly PlannedLabel[];
  readonly #labeler: string | null;
  readonly #done: Set<string>;
  readonly #skipped = new Set<string>();
  readonly #history: PlannedLabel[] = [];
  #note = "";

  constructor(runDir: string, plan: readonly PlannedLabel[], labeler: string | null) {
    this.runDir = runDir;
    this.#plan = plan;
    this.#labeler = labeler;
    const given = readTrialLabels(runDir).filter(({ verdict }) => verdict !== null);
    this.#done = new Set(given.map(formatTrial));
  }

  get total(): number {
    return this.#plan.length;
  }

  get left(): number {
    return this.#plan.filter((trial) => !this.#done.has(formatTrial(trial))).length;
  }

  get current(): PlannedLabel | null {
    const isOpen = (trial: PlannedLabel) =>
      !this.#done.has(formatTrial(trial)) && !this.#skipped.has(formatTrial(trial));
    return this.#plan.find(isOpen) ?? null;
  }

  setNote(note: string): void {
    this.#note = note;
  }

  mark(verdict: "right" | "wrong"): void {
    const { current } = this;
    if (current === null) return;
    this.#write(current, verdict, this.#note);
    this.#done.add(formatTrial(current));
    this.#history.push(current);
    this.#note = "";
  }

  skip(): void {
    const { current } = this;
    if (current === null) return;
    this.#skipped.add(formatTrial(current));
    this.#history.push(current);
    this.#note = "";
  }

  /** Takes the last label or skip back. False if there is none. */
  undo(): boolean {
    const last = this.#history.pop();
    if (last === undefined) return false;
    this.#skipped.delete(formatTrial(last));
    if (this.#done.delete(formatTrial(last))) this.#write(last, null, "");
    return true;
  }

  #write({ system, dataset, exampleId, trial }: PlannedLabel, verdict: "right" | "wrong" | null, note: string): void {
    appendTrialLabel(this.runDir, {
      system,
      dataset,
      exampleId,
      trial,
      verdict,
      note,
      tags: [],
      blind: true,
      at: new Date().toISOString(),
      labeler: this.#labeler,
    });
  }
}

function formatTrial({ system, dataset, exampleId, trial }: TrialKey): string {
  return JSON.stringify([system, dataset, exampleId, trial]);
}

async function askForLabels(session: LabelSession): Promise<void> {
  const files = new TrialFiles();
  const commands = readCommands();
  printNote(KEYS);
  try {
    while (session.current !== null) {
      await showTrial(session, files);
      const { value, done } = await commands.next();
      if (done === true || !applyCommand(session, value)) return;
    }
  } finally {
    await commands.return(undefined);
  }
}

/** False to quit. */
function applyCommand(session: LabelSession, { key, text }: LabelCommand): boolean {
  if (key === "q") return false;
  if (key === "r" || key === "w") session.mark(key === "r" ? "right" : "wrong");
  else if (key === "s") session.skip();
  else if (key === "n") session.setNote(text);
  else if (key === "u") {
    if (!session.undo()) printNote("There is nothing to undo.");
  } else if (key !== "") printNote(`Unknown key "${key}". ${KEYS}`);
  return true;
}

async function showTrial(session: LabelSession, files: TrialFiles): Promise<void> {
  const { current, total, left, runDir } = session;
  if (current === null) return;
  const example = await files.readExample(runDir, current);
  const output = (await files.readOutput(runDir, current))?.output ?? null;
  await writeResult(`${formatTrialTexts(example, output, total - left + 1, total).join("\n")}\n`);
}

/** Neither the system nor its verdict is shown. */
function formatTrialTexts(
  example: StoredExample | null,
  output: Output | null,
  place: number,
  total: number,
): string[] {
  const { question, context, answer, answers } = example ?? {};
  const expected = answers ?? (answer === undefined ? undefined : [answer]);
  const section = (title: string, text: string | undefined) =>
    text === undefined || text === ""
      ? []
      : ["", title, ...wrapText(text, { width: WIDTH, maxLines: MAX_TEXT_LINES, isFull: false })];
  return [
    "",
    `── ${place} of ${total} ──`,
    ...section("QUESTION", question),
    ...section("CONTEXT", context),
    ...section("EXPECTED", expected?.join("\n")),
    ...section("ANSWER", output?.response ?? output?.context ?? "(no output is stored)"),
    "",
  ];
}

interface LabelCommand {
  readonly key: string;
  readonly text: string;
}

/** Single keys on a terminal; elsewhere one command per line. */
async function* readCommands(input: NodeJS.ReadStream = process.stdin): AsyncGenerator<LabelCommand, undefined> {
  if (!input.isTTY) {
    for await (const line of createInterface({ input })) {
      const word = line.trim();
      if (word !== "") yield { key: word.charAt(0).toLowerCase(), text: word.slice(1).trim() };
    }
    return;
  }
  input.setRawMode(true);
  try {
    for await (const chunk of input) {
      for (const key of String(chunk)) {
        // Ctrl-C and Ctrl-D are keys while single keys are read. Every label is stored already.
        if (key === "\u0003" || key === "\u0004") return;
        if (key.toLowerCase() !== "n") {
          yield { key: key.trim().toLowerCase(), text: "" };
          continue;
        }
        input.setRawMode(false);
        const text = await askForNote();
        input.setRawMode(true);
        yield { key: "n", text };
      }
    }
  } finally {
    input.setRawMode(false);
    input.pause();
  }
}

function askForNote(): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  return new Promise((resolve) => {
    lines.question("Note: ", (text) => {
      lines.close();
      process.stdin.resume();
      resolve(text.trim());
    });
  });
}

async function reportCorrections(runDir: string, rows: readonly EvalRow[]): Promise<void> {
  if (readTrialLabels(runDir).every(({ verdict }) => verdict === null)) return;
  const corrections = await correctRun({ runDir, rows }, true, DEFAULT_HALF_WIDTH);
  await writeResult(
    `${renderLabelCorrections(corrections, { figure: "pass rate" }, createScreenLayout()).join("\n\n")}\n`,
  );
}
