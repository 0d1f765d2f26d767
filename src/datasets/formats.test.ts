import { describe, expect, it } from "vitest";
import { splitFiles } from "./dataset-spec.js";
import { formatOf, hasFormat } from "./formats.js";

describe("the name of an archive", () => {
  it("names a local file, which has rows only for a dataset that is published so", () => {
    expect(hasFormat("qmsum.zip")).toBe(true);
    expect(hasFormat("zip")).toBe(false);
    expect(splitFiles("qmsum=qmsum.zip")).toEqual({ head: "qmsum", files: ["qmsum.zip"] });
    expect(() => formatOf("data.ZIP")).toThrow('"data.ZIP" is an archive. Unpack it');
  });
});
