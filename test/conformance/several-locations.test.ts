// The verdict of a monitor over several locations (reference/judging 1 and 2). The tests send REST requests to the real keeper in virtual
// time.
import t from 'tap'
import { resultOf } from '../support/clients/answers.ts'
import { closeMs, confirmMs, startWholeWorld, type WholeWorld } from '../support/worlds/whole-world.ts'

const monitors = '/api/v2/monitoring/websites'
const home = 'home000000'
const second = 1_000
/** Time after the addition of a location, ms, during which the location does not count as silent. */
const graceMs = 60 * second

const names = ['de', 'fr', 'jp', 'us'] as const
const idOf: Record<string, string> = { de: 'aaaa', fr: 'bbbb', jp: 'cccc', us: 'dddd' }

let world: WholeWorld
let token = ''

t.before(async () => {
  world = await startWholeWorld()
  token = (await world.addPerson('owner', { [home]: 'owner' })).token
  await world.addLocations(names)
})
t.teardown(() => world.stop())

/** The interval is an hour, so no location becomes silent during the delays of a test. */
const settings = (locations: readonly string[], agreement: string) => ({
  name: 'Shop',
  interval: 3_600,
  workspace_id: home,
  request: { url: 'https://shop.example/', method: 'GET' },
  response: { statuses: [200] },
  locations,
  agreement,
})
const create = async (locations: readonly string[], agreement = 'majority'): Promise<string> =>
  resultOf(await world.call('POST', monitors, { token, body: settings(locations, agreement) })).id
const update = async (id: string, locations: readonly string[], agreement = 'majority') =>
  resultOf(await world.call('POST', `${monitors}/${id}`, { token, body: settings(locations, agreement) }))
const incidentOf = async (id: string) => {
  const found = resultOf(await world.call('GET', `/api/v2/incidents?workspace_id=${home}&monitor_id=${id}`, { token }))
  t.ok(found.length <= 1, 'one incident at most')
  return found[0] ?? null
}
const isChecked = async (name: string, id: string) => (await world.checkEntry(idOf[name] as string, id)) !== null
const report = (id: string, name: string, ok: boolean) => world.report(id, idOf[name] as string, ok)

type Said = 'problem' | 'ok' | 'unknown'
const words: Record<string, Said> = { p: 'problem', o: 'ok', u: 'unknown' }

/**
 * Each row: reports of the locations in order (p problem, o ok, u never reported), and the status after the confirmation delay (null: no
 * incident).
 */
const decisions: [agreement: 'any' | 'majority' | 'all', said: string, status: 'problem' | 'no_data' | null][] = [
  ['any', 'p', 'problem'],
  ['any', 'o', null],
  ['any', 'u', 'no_data'],
  ['any', 'poo', 'problem'],
  ['any', 'pu', 'problem'],
  ['any', 'puuu', 'problem'],
  ['any', 'oou', 'no_data'],
  ['any', 'oooo', null],
  ['majority', 'ou', 'no_data'],
  ['majority', 'po', null],
  ['majority', 'pp', 'problem'],
  ['majority', 'oou', null],
  ['majority', 'pou', 'no_data'],
  ['majority', 'ppu', 'problem'],
  ['majority', 'ppoo', null],
  ['majority', 'pppo', 'problem'],
  ['majority', 'oouu', 'no_data'],
  ['majority', 'ppuu', 'no_data'],
  ['all', 'pp', 'problem'],
  ['all', 'pu', 'no_data'],
  ['all', 'pou', null],
  ['all', 'ppo', null],
  ['all', 'ppu', 'no_data'],
  ['all', 'ouu', 'no_data'],
]
for (const [agreement, said, status] of decisions) {
  const saying = [...said].map(letter => words[letter] as Said)
  t.test(`agreement ${agreement} of ${said.length}: ${saying.join(', ')} is ${status ?? 'ok'}`, async t => {
    const locations = names.slice(0, said.length)
    const id = await create(locations, agreement)
    for (const [i, name] of locations.entries()) {
      if (saying[i] !== 'unknown') await report(id, name, saying[i] === 'ok')
    }
    await world.clock.advance(graceMs + confirmMs + second)
    const incident = await incidentOf(id)
    t.equal(incident?.status ?? null, status)
    if (incident === null) return
    const saidBy = (word: Said) => locations.filter((_, i) => saying[i] === word)
    t.strictSame(incident.locations, { failing: saidBy('problem'), unknown: saidBy('unknown'), ok: saidBy('ok') })
  })
}

t.test('decision waits for a location that never reported, unless the other locations already decide it', async t => {
  const waiting = await create(['de', 'fr'], 'any')
  await report(waiting, 'de', true)
  const decided = await create(['de', 'fr'], 'any')
  await report(decided, 'de', false)
  t.match(await incidentOf(decided), { status: 'pending', locations: { failing: ['de'], unknown: ['fr'], ok: [] } })
  await world.clock.advance(graceMs - 5 * second)
  t.equal(await incidentOf(waiting), null, 'young')
  await world.clock.advance(10 * second)
  t.match(await incidentOf(waiting), { status: 'pending', locations: { failing: [], unknown: ['fr'], ok: ['de'] } })
  await report(waiting, 'fr', true)
  t.equal((await incidentOf(waiting)).status, 'recovering', 'and heard when it comes')
})

t.test('location becomes unknown when it has not reported for three intervals', async t => {
  const id = await create(['de', 'fr'], 'any')
  for (const name of ['de', 'fr']) await report(id, name, true)
  await world.clock.advance(2 * 3_600 * second)
  await report(id, 'de', true)
  t.equal(await incidentOf(id), null)
  await world.clock.advance(3_600 * second)
  t.match(await incidentOf(id), { status: 'pending', locations: { failing: [], unknown: ['fr'], ok: ['de'] } })
})

t.test('monitor without locations is shown as no data and is never checked', async t => {
  const id = await create([])
  for (const name of names) t.equal(await isChecked(name, id), false, name)
  t.match(await incidentOf(id), { status: 'pending', locations: { failing: [], unknown: [], ok: [] } })
  await world.clock.advance(confirmMs)
  t.equal((await incidentOf(id)).status, 'no_data')
  await report(id, 'de', true)
  t.equal((await incidentOf(id)).status, 'no_data', 'a report nobody asked for changes nothing')
  await update(id, ['de'])
  t.equal(await isChecked('de', id), true)
  await report(id, 'de', true)
  t.equal((await incidentOf(id)).status, 'recovering', 'until it is given one')
})

t.test('alert has the error of the failing check, a redacted address and no secret of the monitor', async t => {
  const alertOf = async (said: Record<string, string>) => {
    const request = { url: 'https://me:hidden@shop.example/a?n=1&token=hidden', method: 'POST', data: 'hidden' }
    const body = { ...settings(names.slice(0, 3), 'majority'), request }
    const { id } = resultOf(await world.call('POST', monitors, { token, body }))
    for (const [name, error] of Object.entries(said)) await world.report(id, idOf[name] as string, false, { error })
    await world.clock.advance(graceMs + confirmMs + second)
    const alerts = await world.store.find('alerts', { where: { subjectId: id }, limit: 2 })
    t.equal(alerts.length, 1)
    t.notMatch(JSON.stringify(alerts), 'hidden')
    return { kind: alerts[0]?.kind, ...alerts[0]?.facts }
  }
  const address = { url: 'https://shop.example/a?n=1&token=redacted', fields: { method: 'POST' }, fieldsOmitted: 4 }
  t.match(await alertOf({ de: 'status 503', fr: 'status 502' }), { ...address, kind: 'problem', error: 'status 503' })
  t.match(await alertOf({ de: 'status 503' }), { ...address, kind: 'no_data', error: 'status 503' })
  t.match(await alertOf({}), { ...address, kind: 'no_data', error: '', ruleName: '', silence: { lastAt: null } })
  const { fields } = await alertOf({ de: 'status 503', fr: 'body does not contain "https://me:hidden@shop.example"' })
  t.strictSame(Object.keys(fields ?? {}), [
    ...['interval_value', 'interval_unit', 'method', 'content_type', 'expected_text', 'failure_mode'],
    ...['confirm_after', 'recover_after'],
  ])
})

t.test('alert of a monitor without locations names no location, silence or rule', async t => {
  const { id } = resultOf(await world.call('POST', monitors, { token, body: settings([], 'majority') }))
  await world.clock.advance(graceMs + confirmMs + second)
  const [alert] = await world.store.find('alerts', { where: { subjectId: id }, limit: 2 })
  t.match(alert, { kind: 'no_data', facts: { ruleName: '', failing: [], unknown: [], ok: [], silence: null, problems: [] } })
})

t.test('location that is added during an incident joins the decision, and the incident continues', async t => {
  const id = await create(['de'], 'majority')
  await report(id, 'de', false)
  const opened = await incidentOf(id)
  await update(id, ['de', 'fr'])
  t.equal(await isChecked('fr', id), true)
  const added = await incidentOf(id)
  t.match(added, { id: opened.id, status: 'pending', trouble_since: opened.trouble_since })
  await world.clock.advance(graceMs + second)
  t.match(await incidentOf(id), { id: opened.id, locations: { failing: ['de'], unknown: ['fr'], ok: [] } }, 'it counts')
  await report(id, 'fr', true)
  t.match(await incidentOf(id), { id: opened.id, status: 'recovering', locations: { failing: ['de'], unknown: [], ok: ['fr'] } })
  await world.clock.advance(second)
  await report(id, 'fr', false)
  t.match(await incidentOf(id), { id: opened.id, status: 'pending', locations: { failing: ['de', 'fr'], unknown: [], ok: [] } })
})

t.test('location that is removed during an incident is removed from decision and evidence', async t => {
  const id = await create(['de', 'fr', 'jp'], 'majority')
  await report(id, 'de', false)
  await report(id, 'fr', false)
  await report(id, 'jp', true)
  const opened = await incidentOf(id)
  t.match(opened.locations, { failing: ['de', 'fr'], unknown: [], ok: ['jp'] })
  await update(id, ['fr', 'jp'])
  t.equal(await isChecked('de', id), false)
  t.match(await incidentOf(id), { id: opened.id, status: 'recovering', locations: { failing: ['fr'], unknown: [], ok: ['jp'] } })
  await world.clock.advance(second)
  await report(id, 'de', false)
  t.equal((await incidentOf(id)).status, 'recovering', 'what it still reports is not heard')
  await update(id, ['fr'])
  t.match(await incidentOf(id), { id: opened.id, status: 'pending', locations: { failing: ['fr'], unknown: [], ok: [] } })
  await world.clock.advance(confirmMs)
  t.match(await incidentOf(id), { id: opened.id, status: 'problem' })
  await update(id, [])
  t.match(await incidentOf(id), { id: opened.id, status: 'no_data', locations: { failing: [], unknown: [], ok: [] } }, 'all gone')
})

t.test('location starts without readings when it returns after its removal', async t => {
  const id = await create(['de', 'fr'], 'any')
  await report(id, 'de', false)
  await report(id, 'fr', true)
  const opened = await incidentOf(id)
  await update(id, ['fr'], 'any')
  t.equal((await incidentOf(id)).status, 'recovering')
  await update(id, ['fr', 'de'], 'any')
  await world.clock.advance(graceMs + second)
  t.match(await incidentOf(id), { id: opened.id, locations: { failing: [], unknown: ['de'], ok: ['fr'] } })
})

t.test('open incident is judged again when the agreement of its monitor changes', async t => {
  const id = await create(['de', 'fr'], 'any')
  await report(id, 'de', false)
  await report(id, 'fr', true)
  const opened = await incidentOf(id)
  await update(id, ['de', 'fr'], 'all')
  t.match(await incidentOf(id), { id: opened.id, status: 'recovering' })
  await world.clock.advance(closeMs)
  t.equal(await incidentOf(id), null, 'closed')
})
