// Conditions of the installation: their documents, and the one guarded put by which the whole cluster decides a change once. The notifier
// whose put is written logs the change and sends its message.
import {
  type ConditionDocument,
  type ConditionKind,
  conditionId,
  type OperatorMessage,
} from '#shared/contracts/incidents/condition.ts'
import { limits } from '#shared/limits/limits.ts'
import { randomId } from '#shared/text/ids.ts'
import { retryStoreCall } from '../record/retry-store-call.ts'
import type { OperatorContext } from './context.ts'
import { messageBody, type Notice } from './message.ts'

/** How a condition is to stand. What is absent stays. */
export interface Change {
  name: string
  raised: boolean
  since: number
  seenAt?: number
  count?: number
  /** Message to the operator; null: none. */
  notice: Notice | null
}

export interface Conditions {
  /** The condition as this process last saw it; null: none. */
  get(kind: ConditionKind, objectId: string): ConditionDocument | null
  byId(id: string): ConditionDocument | null
  all(): ConditionDocument[]
  ofKind(kind: ConditionKind): ConditionDocument[]
  raised(): ConditionDocument[]
  /** Reads one anew. Rejects with a StoreError. */
  read(id: string): Promise<ConditionDocument | null>
  /** Reads them anew. Rejects with a StoreError. */
  load(): Promise<void>
  /**
   * Changes one, atomically: `decide` gets what is stored and returns null to leave it. Resolves to the document where this process wrote
   * it, to null where nothing was to be done. Rejects with a StoreError.
   */
  change(kind: ConditionKind, objectId: string, decide: Decide): Promise<ConditionDocument | null>
  /** Replaces a stored document by one with other fields; null where a rival was first. Rejects with a StoreError. */
  put(present: ConditionDocument, over: Partial<ConditionDocument>): Promise<ConditionDocument | null>
  /** Notes in bulk when they were last seen. What a rival has changed meanwhile stays. Rejects with a StoreError. */
  noteSeen(seen: readonly { document: ConditionDocument; seenAt: number }[]): Promise<void>
  remove(ids: readonly string[]): Promise<void>
}

type Decide = (present: ConditionDocument | null) => Change | null

export function createConditions(context: OperatorContext): Conditions {
  const { store, clock, logger } = context
  const known = new Map<string, ConditionDocument>()
  const mark = () => `${context.notifierId}.${randomId(8)}`

  const put = async (present: ConditionDocument, over: Partial<ConditionDocument>): Promise<ConditionDocument | null> => {
    const next = { ...present, ...over, rev: present.rev + 1, writer: mark() }
    const [result] = await retryStoreCall(clock, () => store.replace('conditions', [next]))
    if (result !== 'written') return null
    known.set(next.id, next)
    return next
  }
  const read = async (id: string): Promise<ConditionDocument | null> => {
    const [present = null] = await retryStoreCall(clock, () => store.get('conditions', [id]))
    if (present === null) known.delete(id)
    else known.set(id, present)
    return present
  }
  const change = async (kind: ConditionKind, objectId: string, decide: Decide) => {
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
      return next
    }
    logger.warn({ condition: id }, 'condition changed too often at once')
    return null
  }
  return {
    get: (kind, objectId) => known.get(conditionId(kind, objectId)) ?? null,
    byId: id => known.get(id) ?? null,
    all: () => [...known.values()],
    read,
    ofKind: kind => [...known.values()].filter(one => one.kind === kind),
    raised: () => [...known.values()].filter(one => one.raised === 1),
    load: async () => {
      const found = await store.find('conditions', { limit: limits.operator.conditions })
      known.clear()
      for (const document of found) known.set(document.id, document)
    },
    change,
    put,
    noteSeen: async seen => {
      if (seen.length === 0) return
      const documents = seen.map(({ document, seenAt }) => ({ ...document, seenAt, rev: document.rev + 1, writer: mark() }))
      const results = await retryStoreCall(clock, () => store.replace('conditions', documents))
      for (const [i, document] of documents.entries()) if (results[i] === 'written') known.set(document.id, document)
    },
    remove: async ids => {
      if (ids.length === 0) return
      await store.delete('conditions', ids)
      for (const id of ids) known.delete(id)
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
  const told = { ...next, changedAt: at, summary: notice.summary }
  if (context.webhook === null) return told
  const stated = { id: base.id, kind: base.kind, name: next.name, raised: next.raised, since: next.since }
  const message = { id: `msg_${randomId(27)}`, type: notice.type, at, body: messageBody(stated, notice, context.source, at) }
  return { ...told, ...queued(context, base, message) }
}

/** The first message is claimed in the same put: its writer sends it at once. */
function queued(context: OperatorContext, base: ConditionDocument, message: OperatorMessage): Partial<ConditionDocument> {
  const unsent = [...base.unsent, message].slice(-limits.operator.unsent)
  if (base.unsent.length > 0) return { unsent }
  return { unsent, attempts: 0, claimedBy: context.notifierId, dueAt: context.clock.now() + limits.operator.claimMs }
}
