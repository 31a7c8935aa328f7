// View of an open Incident that its keeper returns for an instant after the last judgement of the rule. Reference: docs/reference/v3.md,
// 4.8, 4.11 and 5.7.
import t from 'tap'
import type { IncidentNow } from '#shared/contracts/incidents/incident-views.ts'
import type { Template } from '#shared/contracts/resources/template.ts'
import type { SubjectDocument } from '#shared/contracts/subjects/subject.ts'
import { readIncident } from '../../services/keeper/step/commands/incident-commands.ts'
import { nothingHeld } from '../../services/keeper/step/types.ts'
import { create, observe, second, setStage } from './resources/resource-world.ts'

t.test('`next` names no confirmation when the signal of the rule is quiet or this silence is held back (v3 5.7)', async t => {
  const world = await setStage()
  const { id } = await create(world)
  await observe(world, id, { signal: 'probe', state: 'problem' })
  const openedAt = world.clock.now() - 1
  const subject = (await world.subject(id)) as SubjectDocument
  const [document] = await world.store.find('templates', { limit: 1 })
  const shownAt = (at: number, held = nothingHeld): IncidentNow => {
    const context = {
      now: at,
      held,
      confirmAfterMs: 0,
      closeAfterMs: 0,
      templateOf: () => document?.template as Template,
      stored: {} as never,
    }
    const read = readIncident(subject, { kind: 'read-incident', id: 'x', incidentId: `${id}.1` }, at, context)
    if ('refused' in read) throw new Error(read.refused.error.message)
    t.equal(read.subject, subject, 'nothing is changed')
    return read.result as IncidentNow
  }
  const confirm = { what: 'confirm', at: openedAt + 300 * second }
  t.match(shownAt(openedAt + 180 * second), { incident: { explanation: 'probe problem' }, next: confirm })
  const quiet = shownAt(openedAt + 181 * second)
  t.match(quiet, { incident: { condition: 'problem', explanation: /^probe unresolved \(nothing reported since / }, next: null })
  const held = { checks: openedAt, pushed: openedAt }
  t.match(shownAt(openedAt + 181 * second, held), { incident: { explanation: 'probe problem' }, next: null })
  const other = readIncident(subject, { kind: 'read-incident', id: 'x', incidentId: `${id}.2` }, 0, {} as never)
  t.match(other, { refused: { error: { code: 'not_found' } } })
})
