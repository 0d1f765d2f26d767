/** The columns of all rows; what was not measured is NaN. Those that name something hold its place in the head. */
export interface RowColumns {
  readonly size: number;
  readonly system: Uint16Array;
  readonly dataset: Uint16Array;
  readonly outcome: Uint8Array;
  readonly category: Uint8Array;
  readonly trial: Uint32Array;
  readonly attempts: Uint32Array;
  readonly tagSet: Uint32Array;
  readonly score: Float64Array;
  readonly costUsd: Float64Array;
  readonly latency: Float64Array;
  readonly turns: Float64Array;
  readonly inputTokens: Float64Array;
  readonly outputTokens: Float64Array;
  /** One for each score field. */
  readonly scores: readonly Float64Array[];
}

/** Columns with room for so many rows. */
export function createRowColumns(size: number, fields: number): RowColumns {
  return {
    size,
    system: new Uint16Array(size),
    dataset: new Uint16Array(size),
    outcome: new Uint8Array(size),
    category: new Uint8Array(size),
    trial: new Uint32Array(size),
    attempts: new Uint32Array(size),
    tagSet: new Uint32Array(size),
    score: new Float64Array(size),
    costUsd: new Float64Array(size),
    latency: new Float64Array(size),
    turns: new Float64Array(size),
    inputTokens: new Float64Array(size),
    outputTokens: new Float64Array(size),
    scores: Array.from({ length: fields }, () => new Float64Array(size)),
  };
}

/** The same columns with room for at least so many rows: a run that is going has more than were announced. */
export function growRowColumns(columns: RowColumns, size: number): RowColumns {
  if (size <= columns.size) return columns;
  const larger = createRowColumns(Math.max(size, columns.size * 2), columns.scores.length);
  larger.system.set(columns.system);
  larger.dataset.set(columns.dataset);
  larger.outcome.set(columns.outcome);
  larger.category.set(columns.category);
  larger.trial.set(columns.trial);
  larger.attempts.set(columns.attempts);
  larger.tagSet.set(columns.tagSet);
  for (const name of ["score", "costUsd", "latency", "turns", "inputTokens", "outputTokens"] as const)
    larger[name].set(columns[name]);
  for (const [place, column] of larger.scores.entries()) column.set(columns.scores[place] ?? []);
  return larger;
}
