// Outbox of a commit: the order of its documents, and the work that goes on beside the rounds.
import t from 'tap'
import type { Pending, SubjectDocument } from '#shared/contracts/subject.ts'
import type { Core } from '../../services/keeper/core.ts'
import { beginWork, isBegun, isWritten, outboxSteps } from '../../services/keeper/outbox.ts'
import { subjectDocument } from '../support/fake-keeper.ts'

t.test('alerts are written alone and last, so that no notifier reads an incident older than its alert', async t => {
  t.strictSame(
    outboxSteps.map(step => [...step].sort()),
    [['history', 'incidents', 'policies', 'subjectTags', 'windows'], ['alerts']],
  )
})

t.test('outbox begins each kind of work once and keeps its entries when a subject is committed', async t => {
  const checks = ['hh01', 'b002'].map(locationId => ({ mode: 'check' as const, locationId, rev: 2, entry: null }))
  const signals = ['s1', 's2'].map(signalKey => ({ mode: 'remove-signal' as const, signalKey }))
  const documents: Pending[] = [{ mode: 'tags', put: ['state=active'], gone: [] }]
  const pending: Pending[] = [...documents, ...checks, { mode: 'remove-children' }, ...signals]
  const subject: SubjectDocument = { ...subjectDocument('one', 'w', 'one', 'One', {} as never, 0), pending }
  const begun: unknown[][] = []
  const core: Pick<Core, 'remove' | 'writeChecks'> = {
    remove: (...given) => void begun.push(['remove', ...given]),
    writeChecks: (...given) => void begun.push(['writeChecks', ...given]),
  }
  beginWork(core as Core, subject)
  t.strictSame(begun, [
    ['writeChecks', 'one', checks],
    ['remove', 'one', null],
    ['remove', 'one', 's1'],
    ['remove', 'one', 's2'],
  ])
  t.strictSame(pending.filter(isWritten), documents)
  t.strictSame(pending.filter(isBegun), pending.slice(1))
})
