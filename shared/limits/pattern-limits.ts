// Bounds of patterns that the body of an answer must match (docs/reference/v3.md, 3.20).
import { second } from '#shared/time/time-units.ts'

export const patternLimits = {
  /** Largest number of bytes of a decoded body in which a pattern is looked for. */
  bytes: 64 * 1024,
  /** Longest time for that, ms. Usual patterns take less than 10 ms, the worst ones half a second. */
  matchMs: 5 * second,
  /** Largest number of checks whose patterns wait for those of others. */
  waiting: 500,
  /** Largest number of steps of a pattern, to which the times of its preparation and of a match are in proportion. */
  steps: 1_000,
  /** Number of patterns that are kept prepared. */
  kept: 200,
  /** Memory of the thread that matches. */
  threadMemory: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 8 },
} as const
