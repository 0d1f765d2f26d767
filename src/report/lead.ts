import type { EvalConfig, EvalResult, EvalRow, Outcome } from "../core/index.js";
import { getOwn, isScored } from "../core/index.js";
import { LOW_COVERAGE } from "../metrics/index.js";
import { cutText, formatPlural, formatShare } from "./format.js";
import { toOneLine } from "./markdown.js";

/** Fields that combine the checks. */
export const OVERALL_FIELDS: ReadonlySet<string> = new Set(["verdict", "weighted_score"]);

/** The part of a result that its first lines are about. */
export type LedRun = Pick<EvalResult, "rows" | "summary" | "config">;

/**
 * What a reader must know before the figures: too few trials were scored, or all of them failed by a field that does not
 * suit them. Mostly empty.
 * @example
 * describeLead(result); // ["⚠ 12 of 40 trials were not scored. …"]
 */
export function describeLead(run: LedRun): string[] {
  return [...describeLowCoverage(run), ...describeOtherField(run)].map(toOneLine);
}

/** Trials that were not scored for the same reason. */
interface MissingTrials {
  readonly outcome: Outcome;
  readonly reason: string | null;
  count: number;
}

/** Longer reasons are shown in full further down. */
const MAX_REASON = 200;

function describeLowCoverage({ rows, summary, config }: LedRun): string[] {
  if (Object.values(summary).every((own) => (getOwn(own, "coverage") ?? 1) >= LOW_COVERAGE)) return [];
  const { missing, reasons } = countMissing(rows, config);
  const [first] = reasons;
  if (first === undefined) return [];
  const what =
    missing === rows.length
      ? `No trial was scored (${formatPlural(missing, "trial")})`
      : `${missing.toLocaleString("en")} of ${rows.length.toLocaleString("en")} ${rows.length === 1 ? "trial" : "trials"} ${missing === 1 ? "was" : "were"} not scored (${formatShare(missing / rows.length)}), so the figures may mislead`;
  const lead = reasons.length === 1 ? "Reason" : `Most common reason (${formatPlural(first.count, "trial")})`;
  return [`⚠ ${what}. ${lead}: ${describeReason(first)}`];
}

function describeReason({ outcome, reason }: MissingTrials): string {
  if (outcome === "skipped") return "never started. The notes say why.";
  const why = reason === null ? `${outcome}, without a message` : cutText(reason, MAX_REASON);
  return `${why}${/[.!?…]$/.test(why) ? "" : "."}`;
}

/** Reasons that differ only in numbers and ids count as one. The most frequent comes first. */
function countMissing(rows: readonly EvalRow[], config: EvalConfig): { missing: number; reasons: MissingTrials[] } {
  const reasons = new Map<string, MissingTrials>();
  let missing = 0;
  for (const row of rows) {
    if (isScored(row)) continue;
    missing += 1;
    const reason = findMissingReason(row, config) ?? null;
    const key = `${row.outcome}\u0000${reason?.replace(/[0-9a-f]*\d[0-9a-f]*/gi, "#") ?? ""}`;
    const known = reasons.get(key);
    if (known === undefined) reasons.set(key, { outcome: row.outcome, reason, count: 1 });
    else known.count += 1;
  }
  return { missing, reasons: [...reasons.values()].sort((a, b) => b.count - a.count) };
}

/** Why a trial was not scored, in the words of the call that failed or of the evaluator. */
export function findMissingReason(row: EvalRow, config: EvalConfig): string | undefined {
  return row.outcome === "error" ? row.attempts.at(-1)?.message : findUnscoredReason(row, config);
}

/** Only notes about the deciding field count. */
function findUnscoredReason({ dataset, notes }: EvalRow, { datasets }: EvalConfig): string | undefined {
  const field = datasets.find(({ tags }) => tags.includes(dataset))?.primaryField;
  return notes.find((note) => field != null && isNoteAbout(note, field)) ?? notes.at(-1);
}

/** Notes of earlier versions name the field without quotes. */
function isNoteAbout(note: string, field: string): boolean {
  return note.includes(` "${field}":`) || note.includes(` ${field}:`);
}

/** Another score field by which trials would pass, with the share that would, by system. */
export interface OtherField {
  /** The fields that decided. */
  readonly failedBy: readonly string[];
  readonly field: string;
  readonly shares: ReadonlyMap<string, number>;
}

/**
 * If every scored trial failed: the other score field by which most would pass. Null if one passed, if none would, or if
 * graders decided, whose verdict no single score replaces.
 */
export function findOtherField({ rows, config }: Pick<LedRun, "rows" | "config">): OtherField | null {
  const scored = rows.filter(isScored);
  if (scored.length === 0 || scored.some(({ outcome }) => outcome === "pass")) return null;
  const failedBy = new Set(scored.flatMap(({ primaryField }) => primaryField ?? []));
  if (failedBy.size === 0 || [...failedBy].some((field) => OVERALL_FIELDS.has(field))) return null;
  const passes = countPasses(scored, config.threshold);
  const others = [...passes].filter(([field]) => field !== "score" && !failedBy.has(field));
  const [first, ...rest] = others.map(([field, bySystem]) => ({ field, bySystem, total: sumCounts(bySystem) }));
  if (first === undefined) return null;
  const best = rest.reduce((most, one) => (one.total > most.total ? one : most), first);
  if (best.total === 0) return null;
  const trials = countBySystem(scored);
  const shares = new Map(Array.from(trials, ([system, n]) => [system, (best.bySystem.get(system) ?? 0) / n]));
  return { failedBy: [...failedBy], field: best.field, shares };
}

/** By field and system, how many trials reach the threshold. */
function countPasses(rows: readonly EvalRow[], threshold: number): Map<string, Map<string, number>> {
  const passes = new Map<string, Map<string, number>>();
  for (const { system, scores } of rows) {
    for (const [field, score] of Object.entries(scores)) {
      const ofField = passes.get(field) ?? new Map<string, number>();
      passes.set(field, ofField.set(system, (ofField.get(system) ?? 0) + Number(score >= threshold)));
    }
  }
  return passes;
}

function countBySystem(rows: readonly EvalRow[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { system } of rows) counts.set(system, (counts.get(system) ?? 0) + 1);
  return counts;
}

function sumCounts(counts: ReadonlyMap<string, number>): number {
  return [...counts.values()].reduce((total, count) => total + count, 0);
}

function describeOtherField(run: LedRun): string[] {
  const other = findOtherField(run);
  if (other === null) return [];
  const { failedBy, field, shares } = other;
  return [
    `⚠ Every trial failed by ${failedBy.join(" or ")} (needs ${run.config.threshold}); by ${field} ${formatShares(shares)} would pass: add --score-field ${field}.`,
  ];
}

/** `60 %`, or `60 % to 77 %` of several systems. */
function formatShares(shares: ReadonlyMap<string, number>): string {
  const values = [...shares.values()].map((share) => Math.round(share * 100)).sort((a, b) => a - b);
  const [least = 0, most = least] = [values[0], values.at(-1)];
  return least === most ? `${most} %` : `${least} % to ${most} %`;
}
