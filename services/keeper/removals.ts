// Removals that a committed subject still owes: everything of a deleted subject, the observations of a deleted signal. They run apart
// from the rounds, each once at a time, and the host is told when one is done.

import { partitionOf } from '#shared/hash.ts'
import { limits } from '#shared/limits.ts'
import type { Core } from './core.ts'
import { removeChildren, removeSignal } from './remove-children.ts'
import { NoLongerOurs } from './retry.ts'

export interface Removals {
  /** Begins a removal, or has it run once more where it runs already: what was removed meanwhile may have been written again. */
  start(subjectId: string, signalKey: string | null): void
}

/**
 * `onRemoved` is called once nothing of it is left. A lease that was too old at one moment may have been renewed: while `isHosted` says that
 * its partition is here, nobody else begins what that stopped.
 */
export function createRemovals(
  core: Core,
  onRemoved: (subjectId: string, signalKey: string | null) => void,
  isHosted: (partition: number) => boolean,
): Removals {
  const running = new Set<string>()
  const again = new Set<string>()
  const start = (subjectId: string, signalKey: string | null): void => {
    const name = `${subjectId}.${signalKey ?? ''}`
    if (running.has(name)) {
      again.add(name)
      return
    }
    running.add(name)
    const mayGoOn = () => core.mayCommit(partitionOf(subjectId))
    const removal =
      signalKey === null ? removeChildren(core, subjectId, mayGoOn) : removeSignal(core, subjectId, signalKey, mayGoOn)
    removal
      .then(() => again.has(name) || onRemoved(subjectId, signalKey))
      .catch(error => {
        core.logger.debug({ err: error, subjectId }, 'a removal was stopped')
        if (error instanceof NoLongerOurs) startLater(subjectId, signalKey)
      })
      .finally(() => {
        running.delete(name)
        if (again.delete(name)) start(subjectId, signalKey)
      })
  }
  const startLater = (subjectId: string, signalKey: string | null): void => {
    core.clock.after(limits.keeper.retryMs, () => {
      if (isHosted(partitionOf(subjectId))) start(subjectId, signalKey)
    })
  }
  return { start }
}
