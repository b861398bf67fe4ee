/** The lower quartile of times: other load of the machine hardly changes it, and a lucky run does not decide it. */
export const typicalTime = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[Math.floor(times.length / 4)] ?? NaN;
