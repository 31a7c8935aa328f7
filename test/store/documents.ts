// Documents for the store's contract: complete, with every kind of value that stored documents have.
import type { KeyDocument } from '#shared/contracts/account.ts'
import type { AuditBlockDocument } from '#shared/contracts/audit.ts'
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import type { HistoryDocument, IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import type { WindowDocument } from '#shared/contracts/incidents/maintenance.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import type {
  CheckObservationDocument,
  PushedObservationDocument,
  SeriesDocument,
} from '#shared/contracts/observations/observation.ts'
import type { PolicyDocument } from '#shared/contracts/subjects/policy.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'

export function subject(id: string, given: Partial<SubjectDocument> = {}): SubjectDocument {
  return {
    id,
    rev: 1,
    writer: `writer of ${id}`,
    partition: 7,
    workspaceId: 'workspace1',
    slug: `slug-${id}`,
    name: `Näme ✓ 🛰 ${id}`,
    kind: 'website',
    template: 'website-check@1',
    check: { url: 'https://example.com/?q=ä', nested: [{ deep: null }, [], {}, [1.5, -2, true, false]] } as never,
    templated: null,
    labels: {},
    createdAt: 1_790_000_000_000,
    updatedAt: 1_790_000_000_001,
    archivedAt: null,
    deletedAt: null,
    rules: [],
    readings: { one: { addedAt: 1, slotAt: null, at: null, ok: true, error: null, statusCode: null, totalMs: null } },
    custom: null,
    maintenance: null,
    incidents: 0,
    windows: 0,
    judgedAt: 0,
    checkRev: null,
    checkLocations: ['eu', 'us'],
    dueAt: null,
    outbox: [],
    hasOutbox: 0,
    idempotency: [],
    faulty: null,
    ...given,
  }
}

export function observation(id: string, given: Partial<CheckObservationDocument> = {}): CheckObservationDocument {
  return {
    id,
    ok: 1,
    delayMs: 12,
    dnsMs: null,
    connectMs: 0,
    tlsMs: 31,
    firstByteMs: null,
    totalMs: 45,
    statusCode: 200,
    error: null,
    ...given,
  }
}

export function auditBlock(id: string, given: Partial<AuditBlockDocument> = {}): AuditBlockDocument {
  return { id, firstAt: 1, data: '[["Änn ✓"],["/api/v3/workspaces/order/…"]]', expireAt: 4e12, ...given }
}

export function key(id: string, given: Partial<KeyDocument> = {}): KeyDocument {
  return {
    id,
    rev: 1,
    userId: 'user1',
    description: '',
    tokenHash: `hash of ${id}`,
    prefix: 'wk_12345',
    createdAt: 1,
    expiresAt: 2,
    lastUsedAt: null,
    scope: null,
    ...given,
  }
}

export function destination(id: string, given: Partial<DestinationDocument> = {}): DestinationDocument {
  return {
    id,
    rev: 1,
    number: 1,
    workspaceId: 'workspace1',
    name: id,
    nameKey: id,
    type: 'webhook',
    channel: '',
    url: 'https://example.com/hook',
    enabled: true,
    sendOnOpen: false,
    default: false,
    defaultAt: null,
    transformationId: null,
    createdAt: 1,
    updatedAt: 1,
    ...given,
  }
}

export function history(id: string, given: Partial<HistoryDocument> = {}): HistoryDocument {
  return {
    id,
    rev: 1,
    incidentId: 'incident1',
    subjectId: 'subject1',
    sequence: 1,
    listed: 1,
    kind: 'pending',
    at: 1,
    machine: 'incident',
    version: 1,
    event: { type: 'TROUBLE', at: 1 },
    state: 'pending',
    deadlineAt: null,
    condition: 'problem',
    verdict: 'problem',
    explanation: '',
    evidence: null,
    ...given,
  }
}

export function incident(id: string, given: Partial<IncidentDocument> = {}): IncidentDocument {
  return {
    id,
    rev: 1,
    subjectId: 'subject1',
    resourceKey: 'site',
    workspaceId: 'workspace1',
    ruleKey: 'reachability',
    rule: { key: 'reachability', name: 'Reachability' },
    action: null,
    ruleShown: 'reachability',
    number: 1,
    open: 1,
    facets: 1,
    status: 'pending',
    condition: 'problem',
    troubleSince: 1,
    confirmedAt: null,
    wellSince: null,
    closedAt: null,
    closedReason: null,
    acknowledgedAt: null,
    acknowledgedBy: null,
    acknowledgedVia: null,
    effectiveAt: 1,
    explanation: 'eu is failing',
    evidence: { inputs: [], omitted: 0, truncated: false },
    deadlineAt: null,
    ...given,
  }
}

export function alert(id: string, given: Partial<AlertDocument> = {}): AlertDocument {
  return {
    id,
    rev: 1,
    workspaceId: 'workspace1',
    subjectId: 'subject1',
    incidentId: `incident of ${id}`,
    number: 1,
    kind: 'problem',
    reminder: false,
    held: null,
    decidedAt: 1,
    facts: {
      subjectName: 'one',
      subjectSlug: 'one',
      ruleKey: 'reachability',
      ruleName: '',
      template: null,
      url: '',
      fields: { 'dotted.name': { $dollar: '"quoted"' } },
      fieldsOmitted: 0,
      evidence: { inputs: [], omitted: 0, truncated: false },
      failing: [],
      unknown: [],
      ok: [],
      problems: [],
      silence: null,
      error: '',
      explanation: '',
      troubleSince: 1,
      confirmedAt: null,
      wellSince: null,
      closedAt: null,
    },
    state: 'open',
    deliveries: null,
    expireAt: 5_000_000_000_000,
    ...given,
  }
}

const reported = {
  rev: 1,
  subjectId: 'sub1',
  signalKey: 's1',
  observedAtUs: 1,
  status: 'problem' as const,
  value: null,
  error: 'disk full ✓',
  labels: { host: 'db1', 'dotted.key': '' },
  expireAt: 4e12,
}

const nothingSent = { sentId: null, body: null, source: null } as const

export function pushed(id: string, given: Partial<PushedObservationDocument> = {}): PushedObservationDocument {
  const received = { receivedAtUs: 1_790_000_000_000_001, ok: 0, value: null, error: 'disk full ✓' } as const
  return {
    id,
    ...received,
    labels: '{"host":"db1","dotted.key":""}',
    rejectReason: null,
    expireAt: null,
    ...nothingSent,
    ...given,
  }
}

export function series(id: string, given: Partial<SeriesDocument> = {}): SeriesDocument {
  return { id, ...reported, writer: 'test', number: 2, judgedAt: 1_790_000_000_000, subjectRev: 3, ...given }
}

export function policy(id: string, given: Partial<PolicyDocument> = {}): PolicyDocument {
  const input = { signal: 'run', from: null, mode: 'status', compare: null, threshold: null, noDataAfterMs: null } as const
  const inputs = [{ ...input, match: { host: '*', 'dotted.key': '$x' } }]
  const document = { inputs, need: 'any', atLeast: null, confirmAfterMs: 0, closeAfterMs: 120_000 } as const
  return {
    id,
    rev: 1,
    subjectId: 'sub2',
    ruleKey: 'r1',
    ruleSlug: 'down',
    version: 1,
    savedAt: 1,
    policy: { ...document, inputs },
    ...given,
  }
}

export function maintenanceWindow(id: string, given: Partial<WindowDocument> = {}): WindowDocument {
  const dates = { startedAt: 1, endsAt: 2, cancelledAt: null }
  return { id, rev: 1, subjectId: 'sub2', workspaceId: 'workspace1', state: 'running', ...dates, by: 'Ann', steps: [], ...given }
}
