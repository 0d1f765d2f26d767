// What it takes to install each: time with a warm npm cache, size, files, packages.
import { installContender, packAssay } from "../install.mjs";
import { mebibytes, seconds, table, whole } from "../words.mjs";

const COLUMNS = ["", "packages asked for", "time", "processor", "on disk", "files", "packages"];

export async function measureInstall({ contenders, options, say }) {
  const rows = [];
  for (const contender of contenders) {
    if (contender.name === "assay") rows.push(rowOf("assay", "the tarball of `npm pack`", await ours(options, say)));
    else if (contender.packages !== undefined)
      rows.push(rowOf(contender.name, contender.packages.join(" "), contender.receipt));
  }
  const text =
    "`npm install` into an empty folder, everything already in npm's cache. Packages that compile native code do so within this time.";
  return { title: "Installation", text, table: table(COLUMNS, rows, 2), figures: {} };
}

async function ours({ cache, reinstall }, say) {
  return installContender(await packAssay(cache), { cache, reinstall, say });
}

function rowOf(name, asked, { seconds: time, cpuSeconds, bytes, files, packageCount }) {
  return [name, asked, seconds(time), seconds(cpuSeconds), mebibytes(bytes), whole(files), whole(packageCount)];
}
