import { describe } from "vitest";
import { lacks } from "../../src/testing/system-command.js";
import { describeAgent } from "./describe-agent.js";
import { describeCharts } from "./describe-charts.js";
import { describeLeaderboard } from "./describe-leaderboard.js";
import { describeLooks } from "./describe-looks.js";
import { describePages } from "./describe-pages.js";
import { describePictures } from "./describe-pictures.js";
import { describeRows } from "./describe-rows.js";
import { describeWays } from "./describe-ways.js";
import { useSite } from "./site.js";
import { shownRuns } from "./stored-runs.js";

describe.skipIf(lacks("chromium"))("the dashboard in a browser", () => {
  const site = useSite(shownRuns);
  describePages(site);
  describeCharts(site);
  describeLeaderboard(site);
  describeRows(site);
  describeAgent(site);
  describeWays(site);
  describeLooks(site);
  describePictures(site);
});
