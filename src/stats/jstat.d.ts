/** The little of jstat that the tests use as an oracle; the package ships no types. */
declare module "jstat" {
  interface Distribution {
    cdf(x: number, ...parameters: number[]): number;
    inv(p: number, ...parameters: number[]): number;
  }
  const jstat: {
    gammaln(x: number): number;
    beta: Distribution;
    binomial: Pick<Distribution, "cdf">;
    normal: Distribution;
    studentt: Distribution;
  };
  // biome-ignore lint/style/noDefaultExport: it is what the package exports.
  export default jstat;
}
