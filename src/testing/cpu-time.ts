/**
 * Starts to measure the CPU time of this process in milliseconds. Unlike wall time, it does not grow while other programs
 * use the processor.
 * @example
 * const cpuMs = startCpuTimer();
 * expect(cpuMs()).toBeLessThan(5000);
 */
export function startCpuTimer(): () => number {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
}
