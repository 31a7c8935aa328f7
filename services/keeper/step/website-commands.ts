// Commands that make and change a website monitor, and the one that removes a subject of either kind. Pure.
import type { CheckEntry } from '#shared/contracts/check.ts'
import type { CommandOf } from '#shared/contracts/command.ts'
import type { Reading, RuleState, SubjectDocument } from '#shared/contracts/subject.ts'
import { intervalMs, type WebsiteCheck, websiteTemplate } from '#shared/contracts/website.ts'
import { limits } from '#shared/limits.ts'
import { subjectView } from '#shared/subject-view.ts'
import { closeIncidents } from './close-incidents.ts'
import { emptySubject } from './create-subject.ts'
import { judgeSubject } from './judge-subject.ts'
import { addPending } from './pending.ts'
import { refused } from './refusal.ts'
import type { Obeyed, Surrounding } from './types.ts'

export function createWebsite(
  subjectId: string,
  command: CommandOf<'create-website'>,
  at: number,
  surrounding: Surrounding,
): SubjectDocument {
  const empty: Watched = {
    ...emptySubject(subjectId, command, at),
    kind: 'website',
    template: websiteTemplate,
    labels: command.labels ?? {},
    check: { ...command.check, locations: [] },
    rules: [reachability],
  }
  return judgeSubject(assign(empty, command.check, at), at, surrounding)
}

/** Full replacement of what generations 1 and 2 can express; holds and, when not sent, the failure mode are kept. */
export function updateWebsite(
  subject: SubjectDocument,
  command: CommandOf<'update-website'>,
  at: number,
  surrounding: Surrounding,
): Obeyed {
  if (!isWatched(subject)) return refused('invalid_state', 'Custom subjects are managed elsewhere')
  const { confirm_after, recover_after } = subject.check
  const failure_mode = command.check.failure_mode ?? subject.check.failure_mode
  const check: WebsiteCheck = { ...command.check, failure_mode, confirm_after, recover_after }
  const updated = judgeSubject(assign({ ...subject, name: command.name, updatedAt: at }, check, at), at, surrounding)
  return { subject: updated, result: subjectView(asCommitted(updated)) }
}

/** A tombstone: reads find nothing, inputs drop; what hangs on the subject is removed afterwards. It goes by the clock, as the stream does. */
export function deleteSubject(subject: SubjectDocument, at: number, surrounding: Surrounding): SubjectDocument {
  const closed = closeIncidents(subject, { type: 'rule.removed', at }, surrounding)
  const unassigned = isWatched(closed) ? assign(closed, { ...closed.check, locations: [] }, at) : closed
  const tombstone = { ...unassigned, rules: [], custom: null, maintenance: null, deletedAt: at, updatedAt: at }
  return { ...addPending(tombstone, { mode: 'remove-children' }), dueAt: surrounding.now + limits.keeper.tombstoneMs }
}

/** The subject with the revision that the commit will give it. */
export const asCommitted = (subject: SubjectDocument): SubjectDocument => ({ ...subject, rev: subject.rev + 1 })

/** A subject that probers check. */
type Watched = SubjectDocument & { check: WebsiteCheck }
export const isWatched = (subject: SubjectDocument): subject is Watched => subject.check !== null

/** The one rule of a website monitor (spec A, What the service does). */
const reachability: RuleState = {
  key: 'availability',
  slug: 'reachability',
  name: 'Reachability',
  policyVersion: 1,
  policy: { language: 'reachability' },
  verdict: null,
  incident: null,
}

/** Takes over new settings: readings of kept locations stay, new ones begin young, check entries follow what changed. */
export function assign(subject: Watched, check: WebsiteCheck, at: number): SubjectDocument {
  const readings: Record<string, Reading> = {}
  for (const location of check.locations) readings[location] = subject.readings[location] ?? neverReported(at)
  const next: SubjectDocument = { ...subject, check, readings }
  const unchanged = subject.checkRev !== null && isSame(entryOf(subject.check, 0), entryOf(check, 0))
  if (unchanged && isSame(subject.checkLocations, check.locations)) return next

  const rev = subject.rev + 1
  const gone = subject.checkLocations.filter(location => !check.locations.includes(location))
  const removed = gone.reduce<SubjectDocument>(
    (left, locationId) => addPending(left, { mode: 'check', locationId, rev, entry: null }),
    next,
  )
  const assigned = check.locations.reduce(
    (left, locationId) => addPending(left, { mode: 'check', locationId, rev, entry: entryOf(check, rev) }),
    removed,
  )
  return { ...assigned, checkRev: check.locations.length > 0 ? rev : null, checkLocations: [...new Set(check.locations)] }
}

/** What a prober is told of a monitor. */
export function entryOf(check: WebsiteCheck, rev: number): CheckEntry {
  return {
    rev,
    url: check.url,
    method: check.method,
    contentType: check.content_type,
    data: check.data,
    statuses: check.statuses,
    expectedText: check.expected_text,
    intervalMs: intervalMs(check),
  }
}

const neverReported = (at: number): Reading => ({
  addedAt: at,
  slotAt: null,
  at: null,
  ok: false,
  error: null,
  statusCode: null,
  totalMs: null,
})

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
