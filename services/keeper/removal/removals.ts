// Removals that committed subjects still owe: children of a deleted subject, observations of a deleted signal. They run outside the rounds.
// One removal never runs twice at the same time.

import { limits } from '#shared/limits/limits.ts'
import { partitionOf } from '#shared/text/hash.ts'
import { type KeeperContext, NoLongerOurs } from '../context.ts'
import { removeChildren, removeSignal } from './remove-children.ts'

export interface Removals {
  /** Begins a removal. If it runs already, it runs once more afterwards, because removed documents may have been written again. */
  start(subjectId: string, signalKey: string | null): void
}

/**
 * `onRemoved` is called once all documents of a removal are gone. A removal that a too old lease stopped is repeated while `isHosted`
 * returns true: the lease may have been renewed, and no other keeper would begin it.
 */
export function createRemovals(
  context: KeeperContext,
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
    const mayGoOn = () => context.mayCommit(partitionOf(subjectId))
    const removal =
      signalKey === null ? removeChildren(context, subjectId, mayGoOn) : removeSignal(context, subjectId, signalKey, mayGoOn)
    removal
      .then(() => again.has(name) || onRemoved(subjectId, signalKey))
      .catch(error => {
        context.logger.debug({ err: error, subjectId }, 'a removal was stopped')
        if (error instanceof NoLongerOurs) startLater(subjectId, signalKey)
      })
      .finally(() => {
        running.delete(name)
        if (again.delete(name)) start(subjectId, signalKey)
      })
  }
  const startLater = (subjectId: string, signalKey: string | null): void => {
    context.clock.schedule(limits.keeper.retryMs, () => {
      if (isHosted(partitionOf(subjectId))) start(subjectId, signalKey)
    })
  }
  return { start }
}
