// Order of what a commit writes elsewhere.
import t from 'tap'
import { outboxSteps } from '../../services/keeper/outbox.ts'

t.test('alerts are written alone and last, so that no notifier reads an incident older than its alert', async t => {
  t.strictSame(
    outboxSteps.map(step => [...step].sort()),
    [['history', 'incidents', 'policies', 'subjectTags', 'windows'], ['alerts']],
  )
})
