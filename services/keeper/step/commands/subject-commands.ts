// Commands that create subjects of generations 1 and 2, change a website monitor, and remove a subject of any kind. Pure.

import { entryOf } from '#shared/checks/registry.ts'
import { websiteTemplate } from '#shared/checks/website/website-template.ts'
import type { StoredCheck } from '#shared/contracts/subjects/check.ts'
import type { CommandOf } from '#shared/contracts/subjects/command.ts'
import type { Reading, RuleState, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { checkedKind } from '#shared/contracts/subjects/subject-kind.ts'
import { limits } from '#shared/limits/limits.ts'
import { subjectView } from '#shared/subjects/subject-view.ts'
import { partitionOf } from '#shared/text/hash.ts'
import { addToOutbox } from '../change.ts'
import { putEntries, withoutEntries } from '../checks/put-entries.ts'
import { judgeSubject } from '../judging/judge-subject.ts'
import { neverReported } from '../observations/never-reported.ts'
import type { Handler, StepContext } from '../types.ts'
import { closeIncidents } from './incident-commands.ts'
import { refused } from './refusal.ts'

/** Returns a custom subject, which begins without signal, rule and check (reference/custom-subjects 1.1). */
export function createSubject(subjectId: string, command: CommandOf<'create-subject'>, at: number): SubjectDocument {
  return {
    ...emptySubject(subjectId, command, at),
    kind: 'custom',
    template: null,
    check: null,
    rules: [],
  }
}

/** Returns the fields that every new subject has in addition to the fields of its kind. */
export function emptySubject(
  id: string,
  { workspaceId, slug, name }: { workspaceId: string; slug: string; name: string },
  at: number,
): Omit<SubjectDocument, 'kind' | 'template' | 'check' | 'rules'> {
  return {
    id,
    rev: 0,
    writer: '',
    partition: partitionOf(id),
    workspaceId,
    slug,
    name,
    templated: null,
    labels: {},
    createdAt: at,
    updatedAt: at,
    archivedAt: null,
    deletedAt: null,
    readings: {},
    custom: null,
    maintenance: null,
    incidents: 0,
    windows: 0,
    judgedAt: at,
    checkRev: null,
    checkLocations: [],
    dueAt: null,
    outbox: [],
    hasOutbox: 0,
    idempotency: [],
    faulty: null,
  }
}

export function createWebsite(
  subjectId: string,
  command: CommandOf<'create-website'>,
  at: number,
  context: StepContext,
): SubjectDocument {
  const empty: Watched = {
    ...emptySubject(subjectId, command, at),
    kind: checkedKind,
    template: command.template ?? websiteTemplate,
    labels: command.labels ?? {},
    check: { ...command.check, locations: [] },
    rules: [reachability],
  }
  return judgeSubject(assign(empty, command.check, at), at, context)
}

/** Replaces all fields of generations 1 and 2. The delays of generation 3 stay. The failure mode stays if the command omits it. */
export const updateWebsite: Handler<'update-website'> = (subject, command, at, context) => {
  if (!isWatched(subject)) return refused('invalid_state', 'Custom subjects are managed elsewhere')
  const { confirm_after, recover_after } = subject.check
  const failure_mode = command.check.failure_mode ?? subject.check.failure_mode
  const named = { ...command.check, failure_mode, confirm_after, recover_after }
  // Answers to fields that generations 1 and 2 lack stay.
  const kept = Object.entries(subject.check).filter(([key]) => !Object.hasOwn(named, key))
  const check: StoredCheck = { ...named, ...Object.fromEntries(kept) }
  const updated = judgeSubject(assign({ ...subject, name: command.name, updatedAt: at }, check, at), at, context)
  return { subject: updated, result: subjectView(asCommitted(updated)) }
}

/**
 * Makes the subject a tombstone: reads find nothing, and inputs are dropped. Its children are removed afterwards. The tombstone expires
 * after a fixed time, as messages of the stream do.
 */
export function deleteSubject(subject: SubjectDocument, at: number, context: StepContext): SubjectDocument {
  const closed = closeIncidents(subject, { type: 'rule.removed', at }, context)
  const unassigned = withoutChecks(closed, at)
  const tombstone = { ...unassigned, rules: [], custom: null, maintenance: null, deletedAt: at, updatedAt: at }
  return { ...addToOutbox(tombstone, { mode: 'remove-children' }), dueAt: context.now + limits.keeper.tombstoneMs }
}

/** Returns the subject without checks. Its settings and readings stay readable. */
export function withoutChecks(subject: SubjectDocument, at: number): SubjectDocument {
  if (subject.templated?.checks !== undefined) return subject.checkRev === null ? subject : withoutEntries(subject)
  if (!isWatched(subject)) return subject
  const { check, readings } = subject
  return { ...assign(subject, { ...check, locations: [] }, at), check, readings }
}

/** Returns the subject with the revision that the commit will give it. */
export const asCommitted = (subject: SubjectDocument): SubjectDocument => ({ ...subject, rev: subject.rev + 1 })

type Watched = SubjectDocument & { check: StoredCheck }
export const isWatched = (subject: SubjectDocument): subject is Watched => subject.check !== null

/** The only rule of a website monitor (reference/website-monitors 1.1). */
const reachability: RuleState = {
  key: 'availability',
  slug: 'reachability',
  name: 'Reachability',
  policyVersion: 1,
  policy: { language: 'reachability' },
  verdict: null,
  incident: null,
}

/**
 * Applies new settings. Readings of kept locations stay, the grace period of new locations begins, and changed check entries are written.
 */
export function assign(subject: Watched, check: StoredCheck, at: number): SubjectDocument {
  const readings: Record<string, Reading> = {}
  for (const location of check.locations) readings[location] = subject.readings[location] ?? neverReported(at)
  const next: SubjectDocument = { ...subject, check, readings }
  const unchanged = subject.checkRev !== null && isSame(entryOf(subject.check, 0), entryOf(check, 0))
  if (unchanged && isSame(subject.checkLocations, check.locations)) return next

  return putEntries(next, check.locations, (_, rev) => entryOf(check, rev))
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)
