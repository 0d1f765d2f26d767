import { describe } from "vitest";
import { lacks } from "../system-command.js";
import { describeCharts } from "./describe-charts.js";
import { describeLeaderboard } from "./describe-leaderboard.js";
import { describePages } from "./describe-pages.js";
import { describeRows } from "./describe-rows.js";
import { useSite } from "./site.js";
import { shownRuns } from "./stored-runs.js";

describe.skipIf(lacks("chromium"))("the dashboard in a browser", () => {
  const site = useSite(shownRuns);
  describePages(site);
  describeCharts(site);
  describeLeaderboard(site);
  describeRows(site);
});
