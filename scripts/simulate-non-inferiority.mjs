// Measures how often the verdicts of `assay migrate` are wrong, with seeded random tasks, and writes the table into
// docs/internals/non-inferiority.md. Needs a build: npm run simulate:non-inferiority
import { readFileSync, writeFileSync } from "node:fs";
import { createRandom, nonInferiorityTest } from "../dist/lib/stats.js";

const PAGE = new URL("../docs/internals/non-inferiority.md", import.meta.url);
const EXPERIMENTS = 5000;
const ALPHA = 0.05;

/** One trial of each task. */
const SINGLE_CELLS = [50, 100, 300, 1000].flatMap((n) =>
  [0.6, 0.8, 0.95].flatMap((p) =>
    [0.02, 0.05].flatMap((margin) => [0.2, 0.6].map((correlation) => ({ n, p, margin, correlation, trials: 1 }))),
  ),
);
/** Three trials of each task. */
const REPEATED_CELLS = [50, 100, 300, 1000].flatMap((n) =>
  [0.6, 0.8, 0.95].map((p) => ({ n, p, margin: 0.05, correlation: 0.6, trials: 3 })),
);

/** The chances that both, only A or only B passes, with this correlation, or the nearest possible one. */
function computeShares(pA, pB, correlation) {
  const covariance = correlation * Math.sqrt(pA * (1 - pA) * pB * (1 - pB));
  const both = Math.min(pA, pB, Math.max(0, pA + pB - 1, pA * pB + covariance));
  return { both, onlyA: pA - both, onlyB: pB - both };
}

/** A share of the tasks decides all trials alike; the others draw each trial anew. So trials of a task agree often. */
const STABLE_SHARE = 0.6;

function drawTask(random, shares, trials) {
  let [a, b] = [0, 0];
  let pair = drawPair(random, shares);
  const isStable = trials === 1 || random.next() < STABLE_SHARE;
  for (let trial = 0; trial < trials; trial++) {
    if (trial > 0 && !isStable) pair = drawPair(random, shares);
    a += pair[0];
    b += pair[1];
  }
  return [a / trials, b / trials];
}

function drawPair(random, { both, onlyA, onlyB }) {
  const u = random.next();
  if (u < both) return [1, 1];
  if (u < both + onlyA) return [1, 0];
  return u < both + onlyA + onlyB ? [0, 1] : [0, 0];
}

function simulate({ n, p, margin, correlation, trials }, difference) {
  const random = createRandom(`non-inferiority ${n} ${p} ${margin} ${correlation} ${trials} ${difference}`);
  const shares = computeShares(p, p + difference, correlation);
  const counts = { nonInferior: 0, inferior: 0, lowMisses: 0, highMisses: 0 };
  const a = new Array(n);
  const b = new Array(n);
  for (let i = 0; i < EXPERIMENTS; i++) {
    for (let task = 0; task < n; task++) [a[task], b[task]] = drawTask(random, shares, trials);
    const test = nonInferiorityTest(a, b, { margin, isBinary: trials === 1 });
    if (test.pNonInferior < ALPHA) counts.nonInferior++;
    if (test.pInferior < ALPHA) counts.inferior++;
    if (test.low > difference) counts.lowMisses++;
    if (test.high < difference) counts.highMisses++;
  }
  return Object.fromEntries(Object.entries(counts).map(([key, count]) => [key, count / EXPERIMENTS]));
}

function simulateCell(cell) {
  const atMargin = simulate(cell, -cell.margin);
  const alike = simulate(cell, 0);
  const far = simulate(cell, -3 * cell.margin);
  return { ...cell, atMargin, alike, far };
}

const percent = (share) => `${(100 * share).toFixed(1)} %`;

function renderTable(cells) {
  const rows = cells.map(({ n, p, margin, correlation, atMargin, alike, far }) =>
    [
      n,
      p,
      margin,
      correlation,
      percent(atMargin.nonInferior),
      percent(atMargin.inferior),
      percent(1 - atMargin.lowMisses),
      percent(1 - atMargin.highMisses),
      percent(1 - alike.lowMisses),
      percent(alike.nonInferior),
      percent(alike.inferior),
      percent(far.inferior),
      percent(far.nonInferior),
    ].join(" | "),
  );
  return [
    "| examples | pass rate | margin | correlation | at −margin: non-inferior | at −margin: inferior | at −margin: lower bound holds | at −margin: upper bound holds | alike: lower bound holds | alike: non-inferior | alike: inferior | at −3 × margin: inferior | at −3 × margin: non-inferior |",
    `|${" ---: |".repeat(13)}`,
    ...rows.map((row) => `| ${row} |`),
  ].join("\n");
}

function describeErrors(cells) {
  const wrong = cells.flatMap(({ atMargin }) => [atMargin.nonInferior, atMargin.inferior]);
  const mean = wrong.reduce((sum, share) => sum + share, 0) / wrong.length;
  return `Wrong verdicts at the margin: ${percent(mean)} on average, ${percent(Math.max(...wrong))} at most.`;
}

const started = performance.now();
const single = SINGLE_CELLS.map(simulateCell);
const repeated = REPEATED_CELLS.map(simulateCell);
const seconds = Math.round((performance.now() - started) / 1000);
const sections = { single, repeated };
let page = readFileSync(PAGE, "utf8");
for (const [name, cells] of Object.entries(sections)) {
  const block = new RegExp(`(<!-- ${name} -->\n)[\\s\\S]*?(<!-- /${name} -->)`);
  if (!block.test(page)) throw new Error(`docs/internals/non-inferiority.md has no block ${name}`);
  page = page.replace(
    block,
    (_, begin, end) => `${begin}\n${describeErrors(cells)}\n\n${renderTable(cells)}\n\n${end}`,
  );
}
writeFileSync(PAGE, page);
console.log(`${single.length + repeated.length} cells of ${EXPERIMENTS} experiments in ${seconds} s`);
for (const [name, cells] of Object.entries(sections)) console.log(`${name}: ${describeErrors(cells)}`);
