// Commands that make, change and remove a website monitor. Pure.
import type { CheckEntry } from '#shared/contracts/check.ts'
import type { CreateWebsite, SubjectView, UpdateWebsite } from '#shared/contracts/command.ts'
import type { Reading, SubjectDocument } from '#shared/contracts/subject.ts'
import { intervalMs, type WebsiteMeta, websiteTemplate } from '#shared/contracts/website.ts'
import { partitionOf } from '#shared/hash.ts'
import { limits } from '#shared/limits.ts'
import { tellIncident } from './drive-incident.ts'
import { judge, judgeSubject } from './judge-subject.ts'
import { addPending } from './pending.ts'
import type { Surrounding } from './types.ts'

export function createWebsite(subjectId: string, command: CreateWebsite, at: number, surrounding: Surrounding): SubjectDocument {
  const empty: SubjectDocument = {
    id: subjectId,
    rev: 0,
    writer: '',
    partition: partitionOf(subjectId),
    workspaceId: command.workspaceId,
    slug: command.slug,
    name: command.name,
    kind: 'website',
    template: websiteTemplate,
    meta: { ...command.meta, locations: [] },
    createdAt: at,
    updatedAt: at,
    deletedAt: null,
    rules: [reachability],
    readings: {},
    incidents: 0,
    judgedAt: at,
    checkRev: null,
    checkLocations: [],
    dueAt: null,
    pending: [],
    hasPending: 0,
    receipts: [],
    faulty: null,
  }
  return judgeSubject(assign(empty, command.meta, at), at, surrounding)
}

/** Full replacement of what generations 1 and 2 can express; holds and, when not sent, the failure mode are kept. */
export function updateWebsite(
  subject: SubjectDocument,
  command: UpdateWebsite,
  at: number,
  surrounding: Surrounding,
): SubjectDocument {
  const { confirm_after, recover_after } = subject.meta
  const failure_mode = command.meta.failure_mode ?? subject.meta.failure_mode
  const meta: WebsiteMeta = { ...command.meta, failure_mode, confirm_after, recover_after }
  return judgeSubject(assign({ ...subject, name: command.name, updatedAt: at }, meta, at), at, surrounding)
}

/** A tombstone: reads find nothing, inputs drop; what hangs on the subject is removed afterwards. */
export function deleteSubject(subject: SubjectDocument, at: number, surrounding: Surrounding): SubjectDocument {
  const judgement = judge(subject, subject.judgedAt, surrounding)
  const closed = subject.rules.reduce(
    (left, rule) => tellIncident({ subject: left, rule, judgement, at, surrounding }, { type: 'rule.removed', at }),
    subject,
  )
  const tombstone = assign({ ...closed, rules: [], deletedAt: at, updatedAt: at }, { ...closed.meta, locations: [] }, at)
  return { ...addPending(tombstone, { mode: 'remove-children' }), dueAt: at + limits.keeper.tombstoneMs }
}

export function viewOf(subject: SubjectDocument, rev: number): SubjectView {
  const { id, workspaceId, slug, name, kind, template, meta, createdAt, updatedAt } = subject
  return { id, rev, workspaceId, slug, name, kind, template, meta, createdAt, updatedAt }
}

/** The one rule of a website monitor (spec A, What the service does). */
const reachability = {
  key: 'availability',
  slug: 'reachability',
  name: 'Reachability',
  builtIn: true,
  policyVersion: 1,
  verdict: null,
  incident: null,
}

/** Takes over new settings: readings of kept locations stay, new ones begin young, check entries follow what changed. */
function assign(subject: SubjectDocument, meta: WebsiteMeta, at: number): SubjectDocument {
  const readings: Record<string, Reading> = {}
  for (const location of meta.locations) readings[location] = subject.readings[location] ?? neverReported(at)
  const next = { ...subject, meta, readings }
  const unchanged = subject.checkRev !== null && isSame(entryOf(subject.meta, 0), entryOf(meta, 0))
  if (unchanged && isSame(subject.checkLocations, meta.locations)) return next

  const rev = subject.rev + 1
  const gone = subject.checkLocations.filter(location => !meta.locations.includes(location))
  const removed = gone.reduce((left, locationId) => addPending(left, { mode: 'check', locationId, rev, entry: null }), next)
  const assigned = meta.locations.reduce(
    (left, locationId) => addPending(left, { mode: 'check', locationId, rev, entry: entryOf(meta, rev) }),
    removed,
  )
  return { ...assigned, checkRev: meta.locations.length > 0 ? rev : null, checkLocations: [...new Set(meta.locations)] }
}

/** What a prober is told of a monitor. */
export function entryOf(meta: WebsiteMeta, rev: number): CheckEntry {
  return {
    rev,
    url: meta.url,
    method: meta.method,
    contentType: meta.content_type,
    data: meta.data,
    statuses: meta.statuses,
    expectedText: meta.expected_text,
    intervalMs: intervalMs(meta),
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
