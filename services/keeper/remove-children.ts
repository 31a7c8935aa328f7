// What hangs on a deleted subject is removed in slices, apart from the rounds, so that a long history delays nobody.

import { observationPrefix } from '#shared/ids.ts'
import { day, limits } from '#shared/limits.ts'
import type { CollectionName } from '#shared/store/collections.ts'
import { type Core, persistWhile } from './core.ts'

const childCollections = ['history', 'incidents', 'alerts', 'setAside'] as const satisfies CollectionName[]

/** Removes every child of a subject; safe to begin again after a crash. `mayGoOn` is asked before each slice. */
export async function removeChildren(core: Core, subjectId: string, mayGoOn: () => boolean): Promise<void> {
  for (const collection of childCollections) await removeFrom(core, collection, subjectId, mayGoOn)
  const today = Math.floor(core.clock.now() / day) * day
  const days = Math.ceil(limits.retention.checksMs / day) + 1
  for (let back = -1; back <= days; back++) {
    const from = observationPrefix(today - back * day, subjectId)
    await removeRange(core, from, `${from}~`, mayGoOn)
  }
}

async function removeFrom(
  core: Core,
  collection: (typeof childCollections)[number],
  subjectId: string,
  mayGoOn: () => boolean,
): Promise<void> {
  const slice = limits.keeper.deletionSlice
  for (;;) {
    const query = { where: { subjectId }, limit: slice, select: ['subjectId'] }
    const found = await persistWhile(core, mayGoOn, 'find what hangs on a deleted subject', () =>
      core.store.find(collection, query),
    )
    if (found.length === 0) return
    const ids = found.map(document => document.id)
    await persistWhile(core, mayGoOn, 'remove what hangs on a deleted subject', () => core.store.delete(collection, ids))
  }
}

async function removeRange(core: Core, from: string, to: string, mayGoOn: () => boolean): Promise<void> {
  const slice = limits.keeper.deletionSlice
  const remove = () => core.store.deleteRange('observations', from, to, slice)
  while ((await persistWhile(core, mayGoOn, 'remove observations of a deleted subject', remove)) >= slice);
}
