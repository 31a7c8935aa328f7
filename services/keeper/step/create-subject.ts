// A custom subject begins empty: no signal, no rule, nothing that checks it (spec B, What the service does). Pure.
import type { CommandOf } from '#shared/contracts/command.ts'
import type { SubjectDocument } from '#shared/contracts/subject.ts'
import { partitionOf } from '#shared/hash.ts'

export function createSubject(subjectId: string, command: CommandOf<'create-subject'>, at: number): SubjectDocument {
  return {
    ...emptySubject(subjectId, command, at),
    kind: 'custom',
    template: null,
    check: null,
    rules: [],
  }
}

/** What every subject has when it begins, beside what it is. */
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
    pending: [],
    hasPending: 0,
    receipts: [],
    faulty: null,
  }
}
