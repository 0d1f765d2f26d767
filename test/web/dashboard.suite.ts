import { describe } from "vitest";
import { isCommandMissing } from "../../src/testing/system-command.js";
import { describeAddresses } from "./describe-addresses.js";
import { describeAgent } from "./describe-agent.js";
import { describeCharts } from "./describe-charts.js";
import { describeLeaderboard } from "./describe-leaderboard.js";
import { describeNavigation } from "./describe-navigation.js";
import { describePages } from "./describe-pages.js";
import { describeRows } from "./describe-rows.js";
import { describeScreenshots } from "./describe-screenshots.js";
import { describeThemes } from "./describe-themes.js";
import { useSite } from "./site.js";
import { storeDashboardRuns } from "./stored-runs.js";

describe.skipIf(isCommandMissing("chromium"))("the dashboard in a browser", () => {
  const site = useSite(storeDashboardRuns);
  describePages(site);
  describeCharts(site);
  describeLeaderboard(site);
  describeRows(site);
  describeAgent(site);
  describeNavigation(site);
  describeAddresses(site);
  describeThemes(site);
  describeScreenshots(site);
});
