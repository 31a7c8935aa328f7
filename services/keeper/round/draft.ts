// Drafts of a round: subjects stepped in memory and not written yet.

import type { Reply } from '#shared/contracts/ask/reply.ts'
import type {
  CheckObservationDocument,
  ObservationIdDocument,
  PushedObservationDocument,
  SeriesDocument,
} from '#shared/contracts/observations/observation.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { limits } from '#shared/limits/limits.ts'
import type { DeadLetterDocument } from '#shared/store/collections.ts'
import { randomId } from '#shared/text/ids.ts'
import { aheadOfWall } from '#shared/time/clock.ts'
import type { KeeperContext } from '../context.ts'
import type { RoundReports } from '../loading/stored-reports.ts'
import type { Waiting } from '../partition/inbox.ts'
import type { Partition } from '../partition/partition.ts'
import { heldSilence, momentOf } from '../partition/silence.ts'
import { refusal } from '../step/commands/refusal.ts'
import { step } from '../step/step.ts'
import type { Change, Step } from '../step/types.ts'

export interface Draft {
  id: string
  partition: Partition
  subject: SubjectDocument | null
  change: Change
  /** Inputs that were stepped into the draft. A refused draft is stepped again with these inputs. */
  waiting: Waiting[]
  replies: { waiting: Waiting; reply: Reply }[]
}

/** A draft whose subject is to be written. */
export type ChangedDraft = Draft & { subject: SubjectDocument }

export const isChanged = (draft: Draft): draft is ChangedDraft => draft.change === 'commit' && draft.subject !== null

export interface Drafts {
  subjects: Map<string, Draft>
  observations: CheckObservationDocument[]
  /**
   * Rows by id. A report that is sent again replaces its earlier row. If a round has several reports for one row, the last report counts.
   */
  pushed: Map<string, PushedObservationDocument>
  series: Map<string, SeriesDocument>
  /** Places (signal and instant) of the Observations that have a sender's id, by the key of the id. */
  places: Map<string, ObservationIdDocument>
  /** Stored pushed observations that this round reads. */
  reports: RoundReports
  deadLetters: DeadLetterDocument[]
}

export const noDrafts = (reports: RoundReports): Drafts => ({
  subjects: new Map(),
  observations: [],
  pushed: new Map(),
  series: new Map(),
  places: new Map(),
  reports,
  deadLetters: [],
})

/** Steps inputs of one partition, in their order, onto the cached subjects. The subjects must be in the cache. */
export function stepInputs(context: KeeperContext, partition: Partition, inputs: readonly Waiting[], drafts: Drafts): void {
  const now = context.clock.now()
  const { confirmAfterMs, closeAfterMs } = context
  const held = heldSilence(partition.silence, momentOf(context.clock))
  const aheadMs = aheadOfWall(context.clock)
  const stepContext = {
    now,
    aheadMs,
    held,
    confirmAfterMs,
    closeAfterMs,
    templateOf: context.templates.of,
    inabilityAt: context.abilities.inabilityAt,
    stored: drafts.reports,
  }
  for (const waiting of inputs) {
    const draft = draftOf(context, drafts, partition, waiting.input.subjectId)
    draft.waiting.push(waiting)
    try {
      const stepped = step(draft.subject, waiting.input, stepContext)
      draft.subject = stepped.subject
      if (stepped.change === 'commit' || (stepped.change === 'freshness' && draft.change === 'nothing'))
        draft.change = stepped.change
      if (stepped.observation !== null) drafts.observations.push(stepped.observation)
      noteReports(stepped, drafts)
      if (stepped.reply !== null) draft.replies.push({ waiting, reply: stepped.reply })
    } catch (error) {
      keepDeadLetter(context, draft, waiting, error, drafts)
    }
  }
}

function noteReports({ pushed, series, places = [] }: Step, drafts: Drafts): void {
  if (pushed === undefined || series === undefined) return
  for (const one of places) drafts.places.set(one.id, one)
  for (const row of pushed) drafts.pushed.set(row.id, row)
  for (const one of series) drafts.series.set(one.id, one)
  drafts.reports.note({ rows: pushed, series, places })
}

/** Returns the draft of a subject in this round. A new draft starts with the cached subject. */
export function draftOf(context: KeeperContext, drafts: Drafts, partition: Partition, id: string): Draft {
  const known = drafts.subjects.get(id)
  if (known !== undefined) return known
  const subject = context.cache.use(id)?.subject ?? null
  const draft: Draft = { id, partition, subject, change: 'nothing', waiting: [], replies: [] }
  drafts.subjects.set(id, draft)
  return draft
}

/**
 * Stores an input that cannot be judged, with the reason, marks its subject faulty, and continues with the next input. A deadline that
 * fails stays due: if it fails again for the same reason, nothing more is stored.
 */
export function keepDeadLetter(context: KeeperContext, draft: Draft, waiting: Waiting, error: unknown, drafts: Drafts): void {
  const now = context.clock.now()
  const reason = reasonOf(error)
  if (waiting.input.kind === 'deadline' && draft.subject?.faulty?.reason === reason) return
  context.metrics.deadLetters.inc()
  context.logger.error({ err: error, subjectId: draft.id }, 'input became a dead letter')
  drafts.deadLetters.push({
    id: `${draft.id}.${now}.${randomId(6)}`,
    rev: 1,
    subjectId: draft.id,
    partition: draft.partition.number,
    at: now,
    reason,
    input: JSON.stringify(waiting.input).slice(0, limits.keeper.deadLetterCharacters),
    expireAt: now + limits.keeper.deadLetterMs,
  })
  if (draft.subject !== null) {
    const count = (draft.subject.faulty?.count ?? 0) + 1
    draft.subject = { ...draft.subject, faulty: { at: now, reason, count } }
    draft.change = 'commit'
  }
  draft.replies.push({
    waiting,
    reply: refusal('internal', 'Internal error', 'The request could not be carried out. It was kept as a dead letter.'),
  })
}

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, limits.check.errorCharacters)
