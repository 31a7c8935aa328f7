// Collections of the Observations that senders report: the Observations, the ids that senders gave them, and the newest Observation of each
// label set.
import type { CollectionSpec } from '#shared/store/collection-spec.ts'

export const reportCollections = {
  pushedObservations: {
    writer: 'keeper',
    compact: true,
    columns: {
      receivedAtUs: 'integer',
      ok: 'integer',
      value: 'real',
      error: 'text',
      labels: 'text',
      rejectReason: 'text',
      sentId: 'text',
      body: 'text',
      source: 'text',
    },
    indexes: [],
    expires: true,
  },
  observationIds: {
    writer: 'keeper',
    compact: true,
    gathered: true,
    columns: { signalKey: 'text', atUs: 'integer', createdSignal: 'integer' },
    indexes: [],
  },
  pingBodies: {
    writer: 'keeper',
    columns: { subjectId: 'text' },
    indexes: [{ name: 'ofSubject', fields: ['subjectId', 'id'] }],
  },
  series: {
    writer: 'keeper',
    columns: { subjectId: 'text', signalKey: 'text', observedAtUs: 'integer', subjectRev: 'integer' },
    indexes: [
      { name: 'ofSignal', fields: ['subjectId', 'signalKey'] },
      { name: 'bySubjectRev', fields: ['subjectId', 'subjectRev'] },
    ],
    inPlace: true,
    expires: true,
  },
} as const satisfies Record<string, CollectionSpec>
