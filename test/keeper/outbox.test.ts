// Outbox of a commit: the order of its documents, and the work that runs beside the rounds.
import t from 'tap'
import type { OutboxEntry, SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import type { KeeperContext } from '../../services/keeper/context.ts'
import { beginWork, isBegun, isWritten, outboxSteps } from '../../services/keeper/round/outbox.ts'
import { subjectDocument } from '../support/worlds/fake-keeper.ts'

t.test(
  'outbox writes alerts alone and after all other documents, so that a notifier never reads an incident older than its alert',
  async t => {
    t.strictSame(
      outboxSteps.map(step => [...step].sort()),
      [['history', 'incidents', 'pingBodies', 'policies', 'responses', 'subjectTags', 'windows'], ['alerts']],
    )
  },
)

t.test('commit of a subject starts each kind of work once and keeps the entries of that work in the outbox', async t => {
  const checks = ['hh01', 'b002'].map(locationId => ({ mode: 'check' as const, locationId, rev: 2, entry: null }))
  const signals = ['s1', 's2'].map(signalKey => ({ mode: 'remove-signal' as const, signalKey }))
  const documents: OutboxEntry[] = [{ mode: 'tags', put: ['state=active'], gone: [] }]
  const outbox: OutboxEntry[] = [...documents, ...checks, { mode: 'remove-children' }, ...signals]
  const subject: SubjectDocument = { ...subjectDocument('one', 'w', 'one', 'One', {} as never, 0), outbox }
  const begun: unknown[][] = []
  const context: Pick<KeeperContext, 'remove' | 'writeChecks'> = {
    remove: (...given) => void begun.push(['remove', ...given]),
    writeChecks: (...given) => void begun.push(['writeChecks', ...given]),
  }
  beginWork(context as KeeperContext, subject)
  t.strictSame(begun, [
    ['writeChecks', 'one', checks],
    ['remove', 'one', null],
    ['remove', 'one', 's1'],
    ['remove', 'one', 's2'],
  ])
  t.strictSame(outbox.filter(isWritten), documents)
  t.strictSame(outbox.filter(isBegun), outbox.slice(1))
})
