import { render } from "preact";
import { createEmbeddedSource, readEmbeddedReport } from "./data/embedded.js";
import { createServedSource } from "./data/served.js";
import { App } from "./shell/app.js";
import { SourceProvider } from "./shell/context.js";
import { applySavedTheme } from "./shell/theme.js";
import "./styles/index.css";

applySavedTheme();

const report = await readEmbeddedReport();
const source = report === null ? createServedSource() : createEmbeddedSource(report);
const container = document.getElementById("app");
if (container !== null)
  render(
    <SourceProvider value={source}>
      <App />
    </SourceProvider>,
    container,
  );
