// Condition about dead letters: inputs that a keeper could not judge and has stored. New dead letters raise the condition once. The
// condition ends when no new dead letter was stored for limits.operator.quietMs.

import type { ConditionDocument } from '#shared/contracts/incidents/condition.ts'
import { limits } from '#shared/limits/limits.ts'
import type { DeadLetterDocument } from '#shared/store/collections.ts'
import { humanDuration } from '#shared/time/durations.ts'
import { type Change, type Conditions, cleared, type Watcher } from './conditions.ts'
import type { OperatorContext } from './context.ts'
import { bounded, counted, isoOrNull, type Notice } from './message.ts'

const kind = 'dead_letters'
const name = 'dead letters'

export function watchDeadLetters({ store, clock }: OperatorContext, conditions: Conditions): Watcher {
  return {
    look: async () => {
      const known = conditions.byId(kind)
      const where = { at: { gt: known?.seenAt ?? 0 } }
      const found = await store.find('deadLetters', { where, sort: [['at', 'asc']], limit: limits.operator.batch })
      const newest = found.at(-1)
      if (newest !== undefined) {
        // If `seenAt` has moved, another notifier has counted these dead letters.
        await conditions.change(kind, '', present => ((present?.seenAt ?? 0) >= newest.at ? null : grown(present, found, newest)))
      } else if (known?.raised === 1 && clock.now() - known.seenAt >= limits.operator.quietMs) {
        await conditions.change(kind, '', present =>
          present?.raised === 1 && present.seenAt === known.seenAt ? cleared(present, quiet(present)) : null,
        )
      }
    },
  }
}

function grown(present: ConditionDocument | null, found: readonly DeadLetterDocument[], newest: DeadLetterDocument): Change {
  const isNew = present?.raised !== 1
  const count = isNew ? found.length : present.count + found.length
  const since = isNew ? (found[0]?.at ?? newest.at) : present.since
  return { name, raised: true, since, seenAt: newest.at, count, notice: isNew ? foundNotice(count, newest) : null }
}

const foundNotice = (count: number, newest: DeadLetterDocument): Notice => ({
  type: 'dead_letters.found',
  summary: `${counted(count, 'input', 'inputs')} could not be judged and became dead letters: ${bounded(newest.reason)}`,
  log: 'dead letters found',
  details: { count, newest_at: isoOrNull(newest.at), subject_id: newest.subjectId, reason: bounded(newest.reason) },
})

const quiet = ({ count, seenAt }: ConditionDocument): Notice => ({
  type: 'dead_letters.quiet',
  summary: `No dead letter came for ${humanDuration(limits.operator.quietMs)}; there were ${count}.`,
  log: 'no more dead letters',
  details: { count, newest_at: isoOrNull(seenAt) },
})
