// Conditions of the installation: their documents, and guarded puts. If several notifiers make the same change, the put of only one of them
// is written. This notifier logs the change and sends the message about it.

import {
  type ConditionDocument,
  type ConditionKind,
  conditionId,
  type OperatorMessage,
} from '#shared/contracts/incidents/condition.ts'
import { limits } from '#shared/limits/limits.ts'
import { randomId } from '#shared/text/ids.ts'
import { retryStoreCall } from '../record/row-writer.ts'
import type { OperatorContext } from './context.ts'
import { messageBody, type Notice } from './message.ts'

/** Wanted state of a condition. Absent fields stay unchanged. */
export interface Change {
  name: string
  raised: boolean
  since: number
  seenAt?: number
  count?: number
  /** Message to the operator; null: none. */
  notice: Notice | null
}

export interface Watcher {
  /**
   * Checks for changes that no event reports. Before the call, the caller reads all conditions again. The caller runs one check at a time.
   * Rejects with a StoreError.
   */
  look(): Promise<void>
  stop?(): Promise<void>
}

type Decide = (present: ConditionDocument | null) => Change | null

/** Returns the change that ends a condition. The condition's name and start stay unchanged. */
export const cleared = ({ name, since }: Pick<Change, 'name' | 'since'>, notice: Notice): Change => ({
  name,
  since,
  raised: false,
  notice,
})

export type Conditions = ReturnType<typeof createConditions>

/**
 * `onClaimed` is called with a document after the put of this notifier has claimed its first message. This notifier must then send the
 * message.
 */
export function createConditions(context: OperatorContext, onClaimed: (document: ConditionDocument) => void) {
  const { store, clock, logger } = context
  const known = new Map<string, ConditionDocument>()
  const mark = () => `${context.notifierId}.${randomId(8)}`
  const all = () => [...known.values()]
  /** Returns the condition as this process last saw it; null: this process has seen no such condition. */
  const byId = (id: string): ConditionDocument | null => known.get(id) ?? null

  /**
   * Stores the document with the changes `over`. Returns null if another notifier changed the document first. Rejects with a StoreError.
   */
  const put = async (present: ConditionDocument, over: Partial<ConditionDocument>): Promise<ConditionDocument | null> => {
    const next = { ...present, ...over, rev: present.rev + 1, writer: mark() }
    const [result] = await retryStoreCall(clock, () => store.replace('conditions', [next]))
    if (result !== 'written') return null
    known.set(next.id, next)
    return next
  }
  /** Reads one condition again. Rejects with a StoreError. */
  const read = async (id: string): Promise<ConditionDocument | null> => {
    const [present = null] = await retryStoreCall(clock, () => store.get('conditions', [id]))
    if (present === null) known.delete(id)
    else known.set(id, present)
    return present
  }
  /**
   * Changes a condition atomically. `decide` gets the stored document, and returns the change, or null for no change. Returns the document
   * if this process wrote it; null: no change. Rejects with a StoreError.
   */
  const change = async (kind: ConditionKind, objectId: string, decide: Decide): Promise<ConditionDocument | null> => {
    const id = conditionId(kind, objectId)
    for (let tried = 0; tried < limits.operator.guardedTries; tried++) {
      const present = await read(id)
      const wanted = decide(present)
      if (wanted === null) return null
      const base = present ?? emptyCondition(id, kind, objectId)
      const next = await put(base, changed(context, base, wanted))
      if (next === null) continue
      const { notice } = wanted
      if (notice !== null) logger.warn({ condition: id, name: next.name, ...notice.details }, notice.log)
      // If the document already had an unsent message, the new message waits until the older one is over.
      if (base.unsent.length === 0 && next.unsent.length > 0) onClaimed(next)
      return next
    }
    logger.warn({ condition: id }, 'condition changed too often at once')
    return null
  }
  return {
    byId,
    all,
    read,
    put,
    change,
    get: (kind: ConditionKind, objectId: string) => byId(conditionId(kind, objectId)),
    ofKind: (kind: ConditionKind) => all().filter(one => one.kind === kind),
    raised: () => all().filter(one => one.raised === 1),
    /** Stores a change if the condition is not stored yet. Rejects with a StoreError. */
    begin: (kind: ConditionKind, objectId: string, begun: Change) =>
      change(kind, objectId, present => (present === null ? begun : null)),
    /** Ends a condition if it is raised. Rejects with a StoreError. */
    clear: (kind: ConditionKind, objectId: string, ended: (present: ConditionDocument) => Change) =>
      change(kind, objectId, present => (present?.raised === 1 ? ended(present) : null)),
    /** Reads all conditions again. Rejects with a StoreError. */
    load: async () => {
      const found = await store.find('conditions', { limit: limits.operator.conditions })
      known.clear()
      for (const document of found) known.set(document.id, document)
    },
    /** Stores newer instants of `seenAt`, in bulk. Changes that another notifier has stored are kept. Rejects with a StoreError. */
    noteSeen: async (seen: readonly { document: ConditionDocument; seenAt: number }[]) => {
      if (seen.length === 0) return
      const documents = seen.map(({ document, seenAt }) => ({ ...document, seenAt, rev: document.rev + 1, writer: mark() }))
      const results = await retryStoreCall(clock, () => store.replace('conditions', documents))
      for (const [i, document] of documents.entries()) if (results[i] === 'written') known.set(document.id, document)
    },
    remove: async (id: string) => {
      await store.delete('conditions', [id])
      known.delete(id)
    },
  }
}

const emptyCondition = (id: string, kind: ConditionKind, objectId: string): ConditionDocument => ({
  id,
  rev: 0,
  writer: '',
  kind,
  objectId,
  name: '',
  raised: 0,
  since: 0,
  changedAt: 0,
  seenAt: 0,
  count: 0,
  summary: '',
  unsent: [],
  attempts: 0,
  claimedBy: null,
  dueAt: null,
})

function changed(
  context: OperatorContext,
  base: ConditionDocument,
  { notice, raised, ...fields }: Change,
): Partial<ConditionDocument> {
  const at = context.clock.now()
  const next = { ...fields, raised: raised ? (1 as const) : (0 as const) }
  if (notice === null) return next
  const noticed = { ...next, changedAt: at, summary: notice.summary }
  if (context.receiver === null) return noticed
  const stated = { id: base.id, kind: base.kind, name: next.name, raised: next.raised, since: next.since }
  const message = { id: `msg_${randomId(27)}`, type: notice.type, at, body: messageBody(stated, notice, context.source, at) }
  return { ...noticed, ...queued(context, base, message) }
}

/** The put that adds the first message also claims the message, so that the same notifier sends it at once. */
function queued(context: OperatorContext, base: ConditionDocument, message: OperatorMessage): Partial<ConditionDocument> {
  const unsent = [...base.unsent, message].slice(-limits.operator.unsent)
  if (base.unsent.length > 0) return { unsent }
  return { unsent, attempts: 0, claimedBy: context.notifierId, dueAt: context.clock.now() + limits.operator.claimMs }
}
