// Count of the changes of a rule's result: a rule whose result changes often within a short time is flapping. Pure. Reference:
// docs/reference/v3.md, 4.14.
import type { Flapping } from '#shared/contracts/resources/template.ts'
import { second } from '#shared/limits/limits.ts'
import { shortDuration } from '#shared/time/durations.ts'

export interface CountedChanges {
  /** Instants of the newest changes in the window, ms, oldest first: at most `changes` of them. */
  changes: number[]
  /** First instant, ms, at which the window has fewer changes than `changes`; null: it has fewer already, so the rule is not flapping. */
  until: number | null
}

/** `known`: the earlier changes, ms, oldest first. `isChange`: whether the result changes at `at`. */
export function countChanges(known: readonly number[], at: number, isChange: boolean, flapping: Flapping): CountedChanges {
  const windowMs = flapping.withinSeconds * second
  const inWindow = (isChange ? [...known, at] : known).filter(one => at - one <= windowMs)
  const changes = inWindow.slice(-flapping.changes)
  const [oldest] = changes
  return { changes, until: changes.length < flapping.changes || oldest === undefined ? null : oldest + windowMs + 1 }
}

/** Returns the words that follow the explanation of a rule that is flapping. */
export const flappingWords = ({ changes, withinSeconds }: Flapping): string =>
  `, changed ${changes} times in ${shortDuration(withinSeconds * second)}`
