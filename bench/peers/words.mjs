// Figures as people read them.

/** What is not known is a dash, never a zero. */
const orDash = (format) => (value) => (value === null || value === undefined ? "–" : format(value));

export const whole = orDash((value) => Math.round(value).toLocaleString("en-US"));
export const seconds = orDash(
  (value) => `${value < 10 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : whole(value)} s`,
);
export const milliseconds = orDash((value) => `${whole(value * 1000)} ms`);
export const microseconds = orDash((value) => `${whole(value * 1e6)} µs`);
export const mebibytes = orDash(
  (value) => `${value < 10 * 2 ** 20 ? (value / 2 ** 20).toFixed(1) : whole(value / 2 ** 20)} MiB`,
);
export const times = orDash((value) => `${value < 10 ? value.toFixed(1) : whole(value)} ×`);

/** A Markdown table; the first columns, as many as `texts`, are words, the others figures that stand to the right. */
export function table(columns, rows, texts = 1) {
  const widths = columns.map((column, at) => Math.max(3, column.length, ...rows.map((row) => row[at].length)));
  const line = (cells) =>
    `| ${cells.map((cell, at) => (at < texts ? cell.padEnd(widths[at]) : cell.padStart(widths[at]))).join(" | ")} |`;
  const rule = widths.map((width, at) => (at < texts ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [line(columns), line(rule), ...rows.map(line)].join("\n");
}
