// Contenders take turns, so that a busy moment of the machine hits all of them.

/** Once is enough for what takes this long. */
const LONG_SECONDS = 120;

/**
 * Runs each contender once in each round. One that fails is left out of later rounds and keeps the reason; gives a Map from
 * name to { runs, problem }.
 */
export async function takeTurns(contenders, { rounds, run, say }) {
  const found = new Map(contenders.map(({ name }) => [name, { runs: [], problem: null }]));
  for (let round = 1; round <= rounds; round++)
    for (const contender of contenders) {
      const entry = found.get(contender.name);
      if (isOver(entry)) continue;
      await oneTurn(entry, () => run(contender));
      say(`${contender.name}, round ${round} of ${rounds}: ${told(entry)}`);
    }
  return found;
}

function isOver({ runs, problem }) {
  return problem !== null || runs.some(({ seconds }) => seconds > LONG_SECONDS);
}

async function oneTurn(entry, run) {
  try {
    entry.runs.push(await run());
  } catch (error) {
    entry.problem = error.message;
  }
}

function told({ runs, problem }) {
  return problem ?? `${runs.at(-1).seconds.toFixed(2)} s`;
}

/** The median of one figure over all runs; null when there are none. */
export function medianOf({ runs }, figure) {
  const sorted = runs.map((run) => run[figure]).sort((a, b) => a - b);
  const half = sorted.length >> 1;
  if (sorted.length === 0) return null;
  return sorted.length % 2 === 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** For processor time, which is told in steps of 10 ms. */
export function meanOf({ runs }, figure) {
  return runs.length === 0 ? null : runs.reduce((sum, run) => sum + run[figure], 0) / runs.length;
}
