// Everything that was found, as one page and one picture.
import { aimsOf } from "./aims.mjs";
import { drawChart } from "./chart.mjs";
import { mebibytes, seconds, table, whole } from "./words.mjs";

const VERDICTS = new Map([
  [true, "**holds**"],
  [false, "**does not hold**"],
  [null, "not measured"],
]);

/** The page as Markdown. `found` maps names of sections to what they measured, `absent` names of peers to the reason. */
export function writePage({ contenders, found, absent, machine, command }) {
  return [
    "# Assay and its peers, side by side",
    "",
    "Written by `npm run bench:peers`, all in one run, in turns. The machines this runs on are shared: ratios mean more than seconds.",
    "",
    `${machine}.`,
    "",
    ...aimLines(contenders, found),
    "![Bars of the figures below, on logarithmic scales](results.svg)",
    "",
    "## Who is compared",
    "",
    ...contenders.map(whoLine),
    ...absent.map(({ name, reason }) => `- **${name}** is not measured here: ${reason}.`),
    "",
    ...Object.values(found).flatMap(({ title, text, table: figures }) => [`## ${title}`, "", text, "", figures, ""]),
    "## To repeat it",
    "",
    "```sh",
    "npm ci && npm run build",
    command,
    "```",
    "",
  ].join("\n");
}

function aimLines(contenders, found) {
  const aims = aimsOf(contenders, found.echo?.figures ?? {});
  const rows = aims.map(({ aim, found: what, holds }) => [aim, what, VERDICTS.get(holds)]);
  return ["## Aims", "", table(["Assay's command, on the trivial examples", "found", ""], rows, 3), ""];
}

function whoLine({ name, packages, pinned, stores, notes }) {
  const version = packages === undefined ? "" : ` (${packages.join(", ")}; ${pinned})`;
  return `- **${name}**${version}. Results are kept: ${stores ?? "nowhere"}. ${notes}`;
}

/** The picture as SVG. */
export function drawResults(contenders, found) {
  const bars = (section, figure, format) =>
    contenders.flatMap(({ name, role }) => {
      const value = found[section]?.figures[name]?.[figure] ?? null;
      return value === null ? [] : [{ name, role, value: scaled(figure, value), label: format(value) }];
    });
  return drawChart("Assay and its peers", [
    {
      title: "Trivial examples a second (more is better)",
      bars: bars("echo", "perSecond", (value) => `${whole(value)}/s`),
    },
    { title: "Peak memory of that run, MiB (less is better)", bars: bars("echo", "peakBytes", mebibytes) },
    {
      title: "Calls of an endpoint that takes its time, seconds in all (less is better)",
      bars: bars("requests", "seconds", seconds),
    },
  ]);
}

function scaled(figure, value) {
  return figure === "peakBytes" ? value / 2 ** 20 : value;
}
