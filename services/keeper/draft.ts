// Subjects as a round is about to leave them: stepped in memory, written nowhere.
import type {
  CheckObservationDocument,
  ObservationIdDocument,
  PushedObservationDocument,
  SeriesDocument,
} from '#shared/contracts/observation.ts'
import type { Reply } from '#shared/contracts/reply.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import { randomId } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'
import type { SetAsideDocument } from '#shared/store/collections.ts'
import type { Core } from './core.ts'
import type { Partition, Waiting } from './partition.ts'
import { heldSilence, momentOf } from './silence.ts'
import { refusal } from './step/refusal.ts'
import { step } from './step/step.ts'
import type { Change, Step } from './step/types.ts'
import type { RoundReports } from './stored-reports.ts'

export interface Draft {
  id: string
  partition: Partition
  subject: SubjectDocument | null
  change: Change
  /** Everything stepped into it, so that it can be stepped again on what somebody else wrote. */
  waiting: Waiting[]
  replies: { waiting: Waiting; reply: Reply }[]
}

/** A draft whose subject is to be written. */
export type ChangedDraft = Draft & { subject: SubjectDocument }

export const isChanged = (draft: Draft): draft is ChangedDraft => draft.change === 'commit' && draft.subject !== null

export interface Drafts {
  subjects: Map<string, Draft>
  observations: CheckObservationDocument[]
  /** By id: sent again, a report replaces itself; of several in one round the last counts. */
  pushed: Map<string, PushedObservationDocument>
  series: Map<string, SeriesDocument>
  /** Places of the Observations with senders' ids. */
  places: Map<string, ObservationIdDocument>
  /** What is stored of earlier pushed observations, as far as this round speaks of it. */
  reports: RoundReports
  setAside: SetAsideDocument[]
}

export const noDrafts = (reports: RoundReports): Drafts => ({
  subjects: new Map(),
  observations: [],
  pushed: new Map(),
  series: new Map(),
  places: new Map(),
  reports,
  setAside: [],
})

/** Steps inputs of one partition, in their order, onto the cached subjects. Their documents are in the cache already. */
export function stepInputs(core: Core, partition: Partition, inputs: readonly Waiting[], drafts: Drafts): void {
  const now = core.clock.now()
  const { confirmAfterMs, closeAfterMs } = core
  const held = heldSilence(partition.silence, momentOf(core.clock))
  const surrounding = { now, held, confirmAfterMs, closeAfterMs, templateOf: core.templates.of, stored: drafts.reports }
  for (const waiting of inputs) {
    const draft = draftOf(core, drafts, partition, waiting.input.subjectId)
    draft.waiting.push(waiting)
    try {
      const stepped = step(draft.subject, waiting.input, surrounding)
      draft.subject = stepped.subject
      if (stepped.change === 'commit' || (stepped.change === 'freshness' && draft.change === 'nothing'))
        draft.change = stepped.change
      if (stepped.observation !== null) drafts.observations.push(stepped.observation)
      noteReports(stepped, drafts)
      if (stepped.reply !== null) draft.replies.push({ waiting, reply: stepped.reply })
    } catch (error) {
      setAside(core, draft, waiting, error, drafts)
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

/** The draft of a subject in this round, begun from what the cache holds. */
export function draftOf(core: Core, drafts: Drafts, partition: Partition, id: string): Draft {
  const known = drafts.subjects.get(id)
  if (known !== undefined) return known
  const subject = core.cache.use(id)?.subject ?? null
  const draft: Draft = { id, partition, subject, change: 'nothing', waiting: [], replies: [] }
  drafts.subjects.set(id, draft)
  return draft
}

/**
 * Keeps an input that cannot be judged with its reason, marks its subject faulty, and goes on with the next. A deadline stays due: when it fails
 * again for the same reason, nothing is kept or written.
 */
export function setAside(core: Core, draft: Draft, waiting: Waiting, error: unknown, drafts: Drafts): void {
  const now = core.clock.now()
  const reason = reasonOf(error)
  if (waiting.input.kind === 'deadline' && draft.subject?.faulty?.reason === reason) return
  core.metrics.setAside.inc()
  core.logger.error({ err: error, subjectId: draft.id }, 'input became a dead letter')
  drafts.setAside.push({
    id: `${draft.id}.${now}.${randomId(6)}`,
    rev: 1,
    subjectId: draft.id,
    partition: draft.partition.number,
    at: now,
    reason,
    input: JSON.stringify(waiting.input).slice(0, limits.keeper.setAsideCharacters),
    expireAt: now + limits.keeper.setAsideMs,
  })
  if (draft.subject !== null) {
    const count = (draft.subject.faulty?.count ?? 0) + 1
    draft.subject = { ...draft.subject, faulty: { at: now, reason, count } }
    draft.change = 'commit'
  }
  draft.replies.push({
    waiting,
    reply: refusal('internal', 'Internal error', 'The request could not be carried out; it was set aside.'),
  })
}

const reasonOf = (error: unknown): string =>
  (error instanceof Error ? error.message : String(error)).slice(0, limits.check.errorCharacters)
