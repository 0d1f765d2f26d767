import { onTestFinished, vi } from "vitest";

/** What a command printed, and its exit code. */
export interface CapturedOutput {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a command in this process and keeps what it prints. */
export async function captureOutput(work: () => Promise<number>): Promise<CapturedOutput> {
  const shown = { code: -1, stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((stream) =>
    vi.spyOn(process[stream], "write").mockImplementation((text) => {
      shown[stream] += String(text);
      return true;
    }),
  );
  const restore = () => spies.map((spy) => spy.mockRestore());
  onTestFinished(() => void restore());
  shown.code = await work();
  restore();
  return shown;
}
