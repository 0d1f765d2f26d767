/**
 * Starts to count the processor time of this process, in milliseconds. Unlike the time on the clock it does not grow
 * while other programs have the processor.
 * @example
 * const cpuMs = startCpuTime();
 * expect(cpuMs()).toBeLessThan(5000);
 */
export function startCpuTime(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
}
