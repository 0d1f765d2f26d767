import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { beforeEach, describe, expect, it } from "vitest";
import type { EvalRow, Example } from "../core/index.js";
import type { BoxRecord } from "../exec/index.js";
import { findTestEngine } from "../testing/containers.js";
import { type AgentTestFolders, createAgentFolders, runScriptedTrial } from "../testing/scripted-trial.js";

const AGENT = `node ${fileURLToPath(new URL("../../examples/tiny-agent.mjs", import.meta.url))} {prompt}`;

const engine = await findTestEngine();
const { isolation, image } = engine ?? { isolation: "container:podman", image: "" };

/** A model that asks for this command, then says that it is done. */
const doing = (command: string) => ({ tools: [{ command }, { text: "Done." }] });

const boxOf = (row: EvalRow) => row.metadata?.isolation as BoxRecord;

const checks = (command: string, more: object = {}) => ({
  type: "run-command",
  name: "checked",
  required: true,
  config: { command, ...more },
});

describe.skipIf(engine === null)("a trial in a container", () => {
  let place: AgentTestFolders;
  let outside: string;

  beforeEach(() => {
    place = createAgentFolders();
    outside = mkdtempSync(join(place.root, "outside-"));
    writeFileSync(join(outside, "secret.txt"), "the secret");
  });

  const trial = (command: string, options: Partial<Parameters<typeof runScriptedTrial>[0]> = {}) =>
    runScriptedTrial({
      does: [],
      place,
      model: doing(command),
      ...options,
      agent: { command: AGENT, model: "openai/gpt-5-mini", name: "tiny", isolation, ...options.agent },
      example: { environment: { image }, ...options.example },
    });

  it("sets up, works and is graded in one container of the image", async () => {
    const look = `for p in ${outside}/secret.txt /home /var/log /etc/shadow; do test -e $p && echo $p; done; cat test.txt; id -u`;
    const example: Partial<Example> = {
      environment: {
        image,
        commands: [`(${look}) > set-up.txt 2>/dev/null; echo installed > /tool.txt`],
        limits: { memoryGib: 0.5, cpus: 1 },
        guaranteed: { memoryGib: 0.25, cpus: 0.5 },
      },
      graders: [
        checks("cat set-up.txt work.txt /tool.txt /later.txt test.txt; ls -d $TMPDIR $HOME", {
          files: [{ dest: "test.txt", content: "a test" }],
          stdout_matches: "^0\\n0\\ninstalled\\ndone\\na test/.*/home\\n/.*/tmp\\n?$",
        }),
      ],
    };
    const { row, mock } = await trial(`(${look}) > work.txt 2>/dev/null; echo done > /later.txt`, { example });
    expect(row).toMatchObject({ outcome: "pass", usage: { input: expect.any(Number) } });
    expect(mock.requests.length).toBe(2);
    expect(boxOf(row)).toEqual({
      kind: isolation,
      limits: { processes: 1024, memoryGib: 0.5, cpus: 1, diskGib: 8 },
      allowHosts: [],
      allowPaths: [],
      limitedBy: "cgroup",
      exceeded: [],
      network: { reached: {}, refused: {} },
      image: { name: image, id: expect.any(String) },
    });
    expect(readdirSync(place.tmp)).toEqual([]);
  });

  it("starts from the working folder of an image that is built once from its Dockerfile", async () => {
    const context = join(place.root, "context");
    mkdirSync(context);
    const files = [
      { dest: "Dockerfile", content: `FROM ${image}\nCOPY app /app\nRUN echo built > /built.txt\nWORKDIR /app\n` },
      { dest: "app/code.txt", content: "the code\n" },
    ];
    const example: Partial<Example> = {
      environment: { dockerfile: { dockerfile: "Dockerfile", files } },
      graders: [checks("cat code.txt /app/added.txt /built.txt", { stdout_matches: "^changed\\nadded\\nbuilt\\n?$" })],
    };
    const { row } = await trial("echo changed > /app/code.txt; echo added > added.txt", { example });
    expect(row.outcome).toBe("pass");
    expect(boxOf(row).image?.name).toMatch(/^assay-built:[0-9a-f]{32}$/);
  });

  it("reaches allowed hosts by the proxy alone, and records the others", async () => {
    const ask = (url: string) =>
      `fetch("${url}").then(r => r.text()).then(console.log, e => console.log(e.cause.code))`;
    const { row } = await trial(
      `node -e '${ask("http://192.0.2.1/")}' > direct.txt; env > variables.txt; node -e 'require("http").get({ host: "127.0.0.1", port: 3128, path: "http://example.org/", headers: { host: "example.org" } }, (r) => console.log(r.statusCode))' > proxy.txt`,
      {
        agent: { allowHosts: ["registry.example.org"], allowPaths: [outside] },
        example: {
          graders: [
            checks(`grep ENETUNREACH direct.txt && grep 403 proxy.txt && grep "the secret" ${outside}/secret.txt`),
          ],
        },
      },
    );
    expect(row.outcome).toBe("pass");
    expect(boxOf(row)).toMatchObject({ allowPaths: [outside], network: { refused: { "example.org:80": 1 } } });
  });

  it("keeps the workspace, and runs the canary in the image", async () => {
    const keepWorkspaces = join(place.root, "kept");
    await trial("echo hello > hello.txt; echo ready > canary.txt", {
      agent: { keepWorkspaces, canary: true },
      example: { graders: [checks("cat hello.txt")] },
    });
    expect(readFileSync(join(keepWorkspaces, "tiny-task-0", "hello.txt"), "utf8")).toBe("hello\n");
    expect(existsSync(join(keepWorkspaces, "tiny-task-0", "work"))).toBe(false);
  });

  it.each([
    { what: "no image", environment: {}, says: /example has no image/ },
    {
      what: "an image that does not exist",
      environment: { image: "localhost/assay-missing:1" },
      says: /image localhost\/assay-missing:1 is not on this machine, and \w+ cannot pull it: \S/,
    },
    {
      what: "a Dockerfile that fails",
      environment: {
        dockerfile: {
          dockerfile: "Dockerfile",
          files: [{ dest: "Dockerfile", content: `FROM ${image}\nRUN echo it broke; false\n` }],
        },
      },
      says: /cannot build Dockerfile.*it broke/s,
    },
  ])("says so: $what", async ({ environment, says }) => {
    const { row, mock } = await trial("true", { example: { environment } });
    expect(row).toMatchObject({ outcome: "error", attempts: [{ message: expect.stringMatching(says) }] });
    expect(mock.requests).toEqual([]);
    expect(readdirSync(place.tmp)).toEqual([]);
  });
});

describe("an example with an image", () => {
  it("is refused where its programs would not run in it", async () => {
    const place = createAgentFolders();
    const running = runScriptedTrial({ does: [], place, example: { environment: { image: "python:3.12" } } });
    await expect(running).rejects.toThrow(/runs in the image python:3\.12: add --isolation container:docker/);
  });
});
