import { describe, expect, it } from "vitest";
import { splitFiles } from "./dataset-spec.js";
import { formatOf, hasFormat } from "./formats.js";

describe("the name of an archive", () => {
  it("is a local file, which only a dataset published as an archive can read", () => {
    expect(hasFormat("qmsum.zip")).toBe(true);
    expect(hasFormat("zip")).toBe(false);
    expect(splitFiles("qmsum=qmsum.zip")).toEqual({ head: "qmsum", files: ["qmsum.zip"] });
    expect(() => formatOf("data.ZIP")).toThrow('"data.ZIP" is an archive. Unpack it');
  });
});
