// Creation of a custom subject, which begins empty: without signal, rule and check (reference/custom-subjects 1.1). Pure.
import type { CommandOf } from '#shared/contracts/subjects/command.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { partitionOf } from '#shared/text/hash.ts'

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
