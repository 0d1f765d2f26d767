// Why the bets are what they are: ways to bet on a difference, on the same data.
import { DETECTABLE, drawDifference, median, percent, repeat } from "./simulate.mjs";

const THRESHOLD = 80;

/** Fixed sizes in standard errors of the whole dataset, with the shares of the capital. */
function betFixed(sizes, shares, limit = 0.9) {
  return (n) => {
    const [up, down] = [shares.slice(), shares.slice()];
    let [count, total, squares] = [0, 0, 0];
    return (value) => {
      const spread = count === 0 ? 0 : Math.max(0, squares - total ** 2 / count);
      const sd = Math.sqrt((2 * 0.25 + spread) / (2 + count));
      let [above, below] = [0, 0];
      sizes.forEach((size, i) => {
        const stake = Math.min(limit, size / (sd * Math.sqrt(n)));
        above += up[i] *= 1 + stake * value;
        below += down[i] *= 1 - stake * value;
      });
      count++;
      total += value;
      squares += value ** 2;
      return above >= THRESHOLD || below >= THRESHOLD;
    };
  };
}

/** The predictable plug-in of Waudby-Smith and Ramdas, on the scale of differences. */
function betPlugIn(limit) {
  return () => {
    let [up, down, count, total, squares] = [1, 1, 0, 0, 1];
    return (value) => {
      const variance = squares / (count + 1);
      const stake = Math.min(limit, Math.sqrt((2 * Math.log(80)) / (variance * (count + 1) * Math.log(2 + count))));
      up *= 1 + stake * value;
      down *= 1 - stake * value;
      count++;
      total += value;
      squares += (value - total / (count + 1)) ** 2;
      return up >= THRESHOLD || down >= THRESHOLD;
    };
  };
}

const WAYS = {
  "plug-in, at most 1/2": betPlugIn(0.5),
  "plug-in, at most 3/4": betPlugIn(0.75),
  "one size: 7": betFixed([7], [1]),
  "sizes 3, 7, 16": betFixed([3, 7, 16], [0.15, 0.65, 0.2]),
  "sizes 3, 6.5, 14, 30, at most 3/4": betFixed([3, 6.5, 14, 30], [0.15, 0.6, 0.15, 0.1], 0.75),
  "sizes 3, 6.5, 14, 30 (used)": betFixed([3, 6.5, 14, 30], [0.15, 0.6, 0.15, 0.1]),
};

/** Median shares of the tasks at two and three times the detectable difference, and decided shares at it. */
export function bets() {
  const designs = [
    { n: 50, discordant: 0.4 },
    { n: 100, discordant: 0.1 },
    { n: 300, discordant: 0.3 },
    { n: 3000, discordant: 0.3 },
  ];
  const simulate = (make, { n, discordant }, multiple) => {
    const delta = (multiple * DETECTABLE * Math.sqrt(discordant)) / Math.sqrt(n);
    const share = Math.max(discordant, delta);
    const shares = { onlyA: (share - delta) / 2, onlyB: (share + delta) / 2 };
    const taken = repeat(`bets ${n} ${discordant} ${multiple}`, n > 1000 ? 300 : 1000, (random) => {
      const bet = make(n);
      for (let t = 1; t <= n; t++) if (bet(drawDifference(random, shares))) return t;
      return 2 * n;
    });
    const decided = taken.filter((t) => t <= n).length / taken.length;
    return multiple === 1 ? percent(decided) : percent(Math.min(1, median(taken) / n));
  };
  const rows = Object.entries(WAYS).map(([name, make]) => [
    name,
    ...designs.map((design) => [1, 2, 3].map((multiple) => simulate(make, design, multiple)).join(", ")),
  ]);
  const columns = ["bets", ...designs.map(({ n, discordant }) => `${n} tasks, ${100 * discordant} % differ`)];
  return { columns, rows };
}
