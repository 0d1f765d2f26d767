import { render } from "preact";
import { embeddedReport, embeddedSource } from "./data/embedded.js";
import { servedSource } from "./data/served.js";
import { App } from "./shell/app.js";
import { SourceProvider } from "./shell/context.js";
import { wearKeptTheme } from "./shell/theme.js";
import "./styles/index.css";

wearKeptTheme();

const report = await embeddedReport();
const source = report === null ? servedSource() : embeddedSource(report);
const place = document.getElementById("app");
if (place !== null)
  render(
    <SourceProvider value={source}>
      <App />
    </SourceProvider>,
    place,
  );
