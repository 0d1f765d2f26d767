import type { Command } from "commander";
import { EXAMPLE_MODELS } from "../../core/index.js";
import { collectValues } from "../flag-values.js";
import type { PinFlags, PricesFlags, UpdateFlags } from "../prices.js";
import type { SetExitCode } from "../program.js";

const EXAMPLES = `
A price comes from pricing in models.yml, else from prices.lock, else from the newest table: the one that 'assay prices update' stored in .assay/prices.json, or the one that is part of Assay.

Examples:
  assay prices                                   the table in use, and the price of each model of models.yml
  assay prices update                            fetch the newest table
  assay prices update prices.json                read it from a file
  assay prices pin 2026-11-18                    keep the prices of that day in prices.lock`;

export function addPricesCommand(program: Command, done: SetExitCode): void {
  const prices = program
    .command("prices")
    .description("show the price table in use; update it, or pin prices to a day")
    .option("--models <file>", "the models file (default: models.yml, if there is one)")
    .option("--output <name>", "print table or json", "table")
    .enablePositionalOptions()
    .addHelpText("after", EXAMPLES)
    .action(async (options: PricesFlags) => {
      const { executePrices } = await import("../prices.js");
      done(await executePrices(options));
    });
  addPricesUpdate(prices, done);
  addPricesPin(prices, done);
}

function addPricesUpdate(prices: Command, done: SetExitCode): void {
  prices
    .command("update")
    .description("replace the price table of this project, in .assay/prices.json")
    .argument("[source]", "a file or an https URL (default: the published table of the price package)")
    .option("--date <day>", "the day that the table is from, as YYYY-MM-DD (default: today)")
    .option("--models <file>", "the models file (default: models.yml, if there is one)")
    .addHelpText("after", "\nExamples:\n  assay prices update\n  assay prices update prices.json --date 2026-08-01")
    .action(async (source: string | undefined, options: UpdateFlags) => {
      const { executeUpdate } = await import("../prices.js");
      done(await executeUpdate(source, options));
    });
}

function addPricesPin(prices: Command, done: SetExitCode): void {
  prices
    .command("pin")
    .description("write the prices of the project's models on a day to prices.lock")
    .argument("<date>", "the day, as YYYY-MM-DD")
    .option("--models <file>", "the models file (default: models.yml, if there is one)")
    .option("--model <name>", "also pin PROVIDER/MODEL; repeatable", collectValues)
    .addHelpText(
      "after",
      `\nExamples:\n  assay prices pin 2026-11-18\n  assay prices pin 2026-11-18 --model ${EXAMPLE_MODELS.openai} --model ${EXAMPLE_MODELS.anthropic}`,
    )
    .action(async (date: string, options: PinFlags) => {
      const { executePin } = await import("../prices.js");
      done(await executePin(date, options));
    });
}
