// Second implementation of the count of changes, written directly from docs/reference/v3.md, 4.14. It keeps every change for ever and counts
// again at each instant. This file shares no code with the implementation that keepers run.
interface Counted {
  changes: number
  withinSeconds: number
}

/** Returns whether a rule whose result changed at these instants (ms) is flapping at `at`. Later changes do not count. */
export function naiveFlapping(instants: readonly number[], at: number, { changes, withinSeconds }: Counted): boolean {
  return instants.filter(one => one <= at && at - one <= withinSeconds * 1_000).length >= changes
}

/** Returns the first instant from `at` on at which the rule is not flapping, if its result does not change again. */
export function naiveFlappingEnd(instants: readonly number[], at: number, counted: Counted): number {
  const known = instants.filter(one => one <= at)
  const ends = [at, ...known.map(one => one + counted.withinSeconds * 1_000 + 1)].sort((one, other) => one - other)
  return ends.find(end => end >= at && !naiveFlapping(known, end, counted)) as number
}

/** Returns the words that follow an explanation. The durations that tests use are whole minutes, or shorter than a minute. */
export function naiveFlappingWords({ changes, withinSeconds }: Counted): string {
  const hours = Math.trunc(withinSeconds / 3_600)
  const minutes = Math.trunc(withinSeconds / 60) % 60
  const words = [
    hours > 0 ? `${hours}h` : '',
    minutes > 0 ? `${minutes}m` : '',
    withinSeconds % 60 > 0 ? `${withinSeconds % 60}s` : '',
  ]
  return `, changed ${changes} times in ${words.join('')}`
}
