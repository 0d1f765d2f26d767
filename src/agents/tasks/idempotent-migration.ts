import { type AgentTask, createTestGrader, createWriteCommand } from "./task.js";

const CODE = String.raw`import { readFileSync, writeFileSync } from "node:fs";

// Prices used to be in euros; they are whole cents now: { name, price: 4.5 } becomes { name, cents: 450 }.
const file = process.argv[2] ?? "items.json";
const items = JSON.parse(readFileSync(file, "utf8"));

const migrated = items.map(({ price, ...item }) => ({ ...item, cents: Math.round(price * 100) }));

writeFileSync(file, JSON.stringify(migrated, null, 2) + "\n");
console.log("Migrated " + migrated.length + " items.");
`;

const DATA = `[
  { "name": "tea", "price": 4.5 },
  { "name": "coffee", "price": 7.25 },
  { "name": "sugar", "price": 0.99 }
]
`;

const HIDDEN_TESTS = `import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { after } from "node:test";

const dir = mkdtempSync(join(tmpdir(), "migrate-"));
after(() => rmSync(dir, { recursive: true }));

const OLD = [{ name: "tea", price: 4.5 }, { name: "free", price: 0 }];
const NEW = [{ name: "tea", cents: 450 }, { name: "free", cents: 0 }];

function migrated(items, times) {
  const file = join(dir, "items.json");
  writeFileSync(file, JSON.stringify(items));
  for (let time = 0; time < times; time++) {
    assert.equal(spawnSync(process.execPath, ["migrate.mjs", file]).status, 0);
  }
  return JSON.parse(readFileSync(file, "utf8"));
}

test("one run migrates", () => {
  assert.deepEqual(migrated(OLD, 1), NEW);
});

test("a second run changes nothing", () => {
  assert.deepEqual(migrated(OLD, 2), NEW);
});

test("old items among migrated ones are migrated, in their places", () => {
  const mixed = [NEW[1], OLD[0], NEW[0], OLD[1]];
  assert.deepEqual(migrated(mixed, 1), [NEW[1], NEW[0], NEW[0], NEW[1]]);
});
`;

const FIRST_ATTEMPT = CODE.replace(
  "const migrated",
  `if (items[0]?.cents !== undefined) {
  console.log("Nothing to do.");
  process.exit();
}

const migrated`,
);

const SOLUTION = CODE.replace(
  "items.map(({ price, ...item }) => ({ ...item, cents: Math.round(price * 100) }))",
  `items.map((item) => {
  if (item.price === undefined) return item;
  const { price, ...rest } = item;
  return { ...rest, cents: Math.round(price * 100) };
})`,
);

/** Make a script safe to run repeatedly. */
export const idempotentMigration: AgentTask = {
  id: "idempotent-migration",
  kind: "data",
  difficulty: "medium",
  question:
    "Running migrate.mjs on a file that it has migrated before destroys the prices. Make it safe to run any number of times, also on a file in which somebody has added old items (with a price) among migrated ones (with cents): what is migrated stays as it is, what is not gets migrated, and the order is kept. It is run as: node migrate.mjs FILE",
  files: [
    { dest: "migrate.mjs", content: CODE },
    { dest: "items.json", content: DATA },
  ],
  graders: [createTestGrader("migrate.test.mjs", HIDDEN_TESTS)],
  walkthrough: [
    { command: "cat migrate.mjs items.json" },
    { command: "cp items.json try.json && node migrate.mjs try.json && node migrate.mjs try.json; cat try.json" },
    createWriteCommand("migrate.mjs", FIRST_ATTEMPT),
    { command: "cp items.json try.json && node migrate.mjs try.json && node migrate.mjs try.json; cat try.json" },
    createWriteCommand("migrate.mjs", SOLUTION),
    {
      command:
        "cp items.json try.json && node migrate.mjs try.json && node migrate.mjs try.json; cat try.json; rm try.json",
    },
    { text: "migrate.mjs looks at each item by itself and leaves those alone that have no price." },
  ],
};
