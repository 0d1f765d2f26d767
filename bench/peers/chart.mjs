// Draws the results as horizontal bars on a logarithmic scale, as an SVG that can be read in light and dark.

const WIDTH = 760;
const LABELS = 130;
const VALUES = 110;
const ROW = 24;
const BAR = 14;
const HEAD = 44;
const GAP = 18;
const PLOT = WIDTH - LABELS - VALUES;

const STYLE = `
  text { font: 13px system-ui, sans-serif; fill: #1f2328; }
  .title { font-weight: 600; }
  .tick { font-size: 11px; fill: #59636e; }
  .paper { fill: #ffffff; }
  .grid { stroke: #d1d9e0; }
  .peer { fill: #8c959f; }
  .ours { fill: #0969da; }
  .floor { fill: none; stroke: #59636e; stroke-dasharray: 3 2; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .tick { fill: #9198a1; }
    .paper { fill: #0d1117; }
    .grid { stroke: #3d444d; }
    .peer { fill: #7d8590; }
    .ours { fill: #4493f8; }
    .floor { stroke: #9198a1; }
  }
`;

/**
 * `panels` are { title, bars }, `bars` are { name, role, value, label }. A panel without bars is left out.
 */
export function drawChart(title, panels) {
  const shown = panels.filter(({ bars }) => bars.length > 0);
  let top = GAP;
  const drawn = shown.map((panel) => {
    const text = drawPanel(panel, top);
    top += heightOf(panel);
    return text;
  });
  const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${top}" width="${WIDTH}" height="${top}" role="img">`;
  const paper = `<rect class="paper" width="${WIDTH}" height="${top}"/>`;
  const words = `<title>${escaped(title)}</title><desc>${escaped(described(shown))}</desc>`;
  return [head, words, `<style>${STYLE}</style>`, paper, ...drawn, "</svg>", ""].join("\n");
}

const heightOf = ({ bars }) => HEAD + bars.length * ROW + GAP;

function drawPanel({ title, bars }, top) {
  const scale = logScale(bars.map(({ value }) => value));
  const bottom = top + HEAD + bars.length * ROW;
  const grid = scale.ticks.map((tick) => drawTick(tick, { x: scale.at(tick), top: top + HEAD - 4, bottom }));
  const rows = bars.map((bar, at) => drawBar(bar, { scale, y: top + HEAD + at * ROW }));
  return [`<text class="title" x="12" y="${top + 14}">${escaped(title)}</text>`, ...grid, ...rows].join("\n");
}

/** From the power of ten below the smallest value to the one above the largest. */
export function logScale(values) {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  const ticks = Array.from({ length: high - low + 1 }, (_, at) => 10 ** (low + at));
  return { ticks, at: (value) => LABELS + (PLOT * (Math.log10(value) - low)) / (high - low) };
}

function drawTick(tick, { x, top, bottom }) {
  const label = `<text class="tick" x="${x.toFixed(1)}" y="${top - 4}" text-anchor="middle">${tick.toLocaleString("en-US")}</text>`;
  return `<line class="grid" x1="${x.toFixed(1)}" x2="${x.toFixed(1)}" y1="${top}" y2="${bottom}"/>${label}`;
}

function drawBar({ name, role, value, label }, { scale, y }) {
  const middle = y + BAR / 2 + 4.5;
  const end = scale.at(value);
  const kind = role === "ours" || role === "floor" ? role : "peer";
  return [
    `<text x="${LABELS - 8}" y="${middle}" text-anchor="end">${escaped(name)}</text>`,
    `<rect class="${kind}" x="${LABELS}" y="${y}" width="${(end - LABELS).toFixed(1)}" height="${BAR}" rx="2"/>`,
    `<text x="${(end + 6).toFixed(1)}" y="${middle}">${escaped(label)}</text>`,
  ].join("");
}

/** The same in words, for those who do not see it. */
function described(panels) {
  return panels
    .map(({ title, bars }) => `${title}: ${bars.map(({ name, label }) => `${name} ${label}`).join(", ")}.`)
    .join(" ");
}

function escaped(text) {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
