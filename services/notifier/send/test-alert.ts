// The alert behind a test message: a problem of a subject that does not exist, so that the receiver shows what it will show one day. Pure.
import type { AlertDocument } from '#shared/contracts/incidents/alert.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import { randomId } from '#shared/text/ids.ts'
import { testWords } from '../bodies/words.ts'

const subjectName = 'Test message'
const subjectId = 'test000000'

/** `at`: ms since the epoch. Its id is new each time. */
export function testAlert({ workspaceId }: DestinationDocument, at: number): AlertDocument {
  const incidentId = `${subjectId}.1`
  const troubleSince = at - limits.policy.holdMs
  return {
    id: `test.${randomId(16)}`,
    rev: 1,
    workspaceId,
    subjectId,
    incidentId,
    number: 1,
    kind: 'problem',
    reminder: false,
    held: null,
    decidedAt: at,
    facts: {
      subjectName,
      subjectSlug: 'test',
      ruleKey: 'test',
      ruleName: '',
      template: null,
      url: '',
      fields: {},
      fieldsOmitted: 0,
      evidence: { inputs: [], omitted: 0, truncated: false },
      failing: [],
      unknown: [],
      ok: [],
      problems: [],
      silence: null,
      isTest: true,
      error: testWords,
      explanation: testWords,
      troubleSince,
      confirmedAt: at,
      wellSince: null,
      closedAt: null,
    },
    state: 'dispatched',
    deliveries: null,
    expireAt: at,
  }
}
