// Dead letters: inputs that a keeper could not judge and has kept. New ones raise the condition once; it clears when none came for
// limits.operator.quietMs.
import type { ConditionDocument } from '#shared/contracts/incidents/condition.ts'
import { limits } from '#shared/limits/limits.ts'
import type { DeadLetterDocument } from '#shared/store/collections.ts'
import { humanDuration } from '#shared/time/durations.ts'
import type { Change } from './conditions.ts'
import type { Watcher, Watching } from './context.ts'
import { bounded, counted, isoOrNull } from './message.ts'

const kind = 'dead_letters'
const name = 'dead letters'

export function watchDeadLetters({ context, conditions, alter }: Watching): Watcher {
  const { store, clock } = context
  return {
    look: async () => {
      const known = conditions.byId(kind)
      const where = { at: { gt: known?.seenAt ?? 0 } }
      const found = await store.find('deadLetters', { where, sort: [['at', 'asc']], limit: limits.operator.batch })
      const newest = found.at(-1)
      if (newest !== undefined) {
        // A rival that has seen them already has moved `seenAt`.
        await alter(kind, '', present => ((present?.seenAt ?? 0) >= newest.at ? null : grown(present, found, newest)))
      } else if (known?.raised === 1 && clock.now() - known.seenAt >= limits.operator.quietMs) {
        await alter(kind, '', present => (present?.raised === 1 && present.seenAt === known.seenAt ? quiet(present) : null))
      }
    },
    stop: async () => undefined,
  }
}

function grown(present: ConditionDocument | null, found: readonly DeadLetterDocument[], newest: DeadLetterDocument): Change {
  const isNew = present?.raised !== 1
  const count = isNew ? found.length : present.count + found.length
  const since = isNew ? (found[0]?.at ?? newest.at) : present.since
  return { name, raised: true, since, seenAt: newest.at, count, notice: isNew ? foundNotice(count, newest) : null }
}

const foundNotice = (count: number, newest: DeadLetterDocument): Change['notice'] => ({
  type: 'dead_letters.found',
  summary: `${counted(count, 'input', 'inputs')} could not be judged and became dead letters: ${bounded(newest.reason)}`,
  log: 'dead letters found',
  details: { count, newest_at: isoOrNull(newest.at), subject_id: newest.subjectId, reason: bounded(newest.reason) },
})

const quiet = ({ count, since, seenAt }: ConditionDocument): Change => ({
  name,
  raised: false,
  since,
  notice: {
    type: 'dead_letters.quiet',
    summary: `No dead letter came for ${humanDuration(limits.operator.quietMs)}; there were ${count}.`,
    log: 'no more dead letters',
    details: { count, newest_at: isoOrNull(seenAt) },
  },
})
