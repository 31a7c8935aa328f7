// The life of a website incident, as `GET /v2/incidents` and its alerts show it (reference/incidents 2 and 3). The tests send REST requests
// to the real keeper in virtual time.
import t from 'tap'
import { resultOf } from '../support/clients/answers.ts'
import { closeMs, confirmMs, startWholeWorld, type WholeWorld } from '../support/worlds/whole-world.ts'

const monitors = '/api/v2/monitoring/websites'
const home = 'home000000'
const minute = 60_000

let world: WholeWorld
let token = ''

t.before(async () => {
  world = await startWholeWorld()
  token = (await world.addPerson('owner', { [home]: 'owner' })).token
  await world.addLocations(['de'])
})
t.teardown(() => world.stop())

const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,6})?Z$/
const after = (text: string, ms: number) => new Date(Date.parse(text) + ms).toISOString()

/** Creates a monitor in one location. `interval`: seconds between its checks. */
async function watched(interval = 3_600) {
  const body = {
    name: 'Shop',
    interval,
    workspace_id: home,
    request: { url: 'https://shop.example/', method: 'GET' },
    response: { statuses: [200] },
    locations: ['de'],
  }
  const { id } = resultOf(await world.call('POST', monitors, { token, body }))
  const path = `/api/v2/incidents?workspace_id=${home}&monitor_id=${id}`
  return {
    id: id as string,
    fails: () => world.report(id, 'aaaa', false),
    passes: () => world.report(id, 'aaaa', true),
    incident: async () => resultOf(await world.call('GET', path, { token }))[0] ?? null,
    told: async () =>
      (await world.store.find('alerts', { where: { subjectId: id }, sort: [['number', 'asc']], limit: 50 })).map(
        ({ kind }) => kind,
      ),
  }
}

t.test('list omits monitors that are healthy or were never evaluated', async t => {
  const { incident, passes } = await watched()
  t.equal(await incident(), null, 'never evaluated')
  await passes()
  t.equal(await incident(), null, 'ok')
})

t.test('incident opens as pending without a message at the first failed check', async t => {
  const { id, fails, incident, told } = await watched()
  await fails()
  const opened = await incident()
  t.strictSame(opened, {
    id: opened.id,
    monitor_id: id,
    monitor_name: 'Shop',
    status: 'pending',
    trouble_since: new Date(world.clock.now() - 1).toISOString(),
    confirmed_at: null,
    well_since: null,
    locations: { failing: ['de'], unknown: [], ok: [] },
    kind: 'incident',
  })
  t.match(opened.trouble_since, timestamp)
  t.strictSame(await incident(), opened, 'the same text every time')
  t.strictSame(await told(), [])
})

t.test('incident becomes a problem with a message at the exact end of two minutes', async t => {
  const { fails, incident, told } = await watched()
  await fails()
  const opened = await incident()
  await world.clock.advance(confirmMs - 2)
  t.equal((await incident()).status, 'pending')
  t.strictSame(await told(), [])
  await world.clock.advance(5)
  const confirmed_at = after(opened.trouble_since, 120_000)
  t.strictSame(await incident(), { ...opened, status: 'problem', confirmed_at })
  t.strictSame(await told(), ['problem'])
})

t.test('incident recovers, closes after two good minutes with a message, and leaves the list', async t => {
  const { fails, passes, incident, told } = await watched()
  await fails()
  await world.clock.advance(confirmMs)
  const problem = await incident()
  await passes()
  const recovering = await incident()
  t.match(recovering.well_since, timestamp)
  t.strictSame(recovering, {
    ...problem,
    status: 'recovering',
    well_since: recovering.well_since,
    locations: { failing: [], unknown: [], ok: ['de'] },
  })
  await world.clock.advance(closeMs - minute)
  t.equal((await incident()).status, 'recovering')
  await world.clock.advance(minute)
  t.equal(await incident(), null)
  t.strictSame(await told(), ['problem', 'recovery'])
  await fails()
  t.not((await incident()).id, problem.id, 'the next trouble is another incident')
})

t.test('recovering incident returns to its earlier status without a message when a check fails', async t => {
  const { fails, passes, incident, told } = await watched()
  await fails()
  await world.clock.advance(confirmMs)
  const problem = await incident()
  await passes()
  await world.clock.advance(minute)
  await fails()
  t.strictSame(await incident(), problem, 'well_since is null again')
  await world.clock.advance(closeMs + confirmMs)
  t.equal((await incident()).status, 'problem')
  t.strictSame(await told(), ['problem'])
})

t.test('short failure is recorded as pending, recovering and closed without a message', async t => {
  const { id, fails, passes, incident, told } = await watched()
  await fails()
  await world.clock.advance(minute)
  await passes()
  t.match(await incident(), { status: 'recovering', confirmed_at: null, well_since: timestamp })
  await world.clock.advance(closeMs)
  t.equal(await incident(), null)
  t.strictSame(await told(), [])
  const [recorded] = await world.store.find('incidents', { where: { subjectId: id }, limit: 1 })
  t.match(recorded, { open: 0, confirmedAt: null, closedAt: recorded?.wellSince })
})

t.test('good check during the confirmation delay restarts the delay and leaves trouble_since unchanged', async t => {
  const { fails, passes, incident } = await watched()
  await fails()
  const opened = await incident()
  await world.clock.advance(minute)
  await passes()
  await world.clock.advance(minute / 2)
  await fails()
  const again = new Date(world.clock.now() - 1).toISOString()
  t.strictSame(await incident(), opened, 'pending again')
  await world.clock.advance(confirmMs - minute / 2)
  t.equal((await incident()).status, 'pending')
  await world.clock.advance(minute / 2)
  t.match(await incident(), { status: 'problem', trouble_since: opened.trouble_since, confirmed_at: after(again, 120_000) })
})

t.test('silence opens an incident, its confirmation as `no_data` sends a message, and a later failure sends another', async t => {
  const { fails, passes, incident, told } = await watched(60)
  await passes()
  await world.clock.advance(3 * minute + 1_000)
  t.match(await incident(), { status: 'pending', locations: { failing: [], unknown: ['de'], ok: [] } })
  await world.clock.advance(confirmMs)
  const silent = await incident()
  t.equal(silent.status, 'no_data')
  t.strictSame(await told(), ['no_data'])
  await fails()
  t.match(await incident(), { id: silent.id, status: 'problem', confirmed_at: silent.confirmed_at })
  t.strictSame(await told(), ['no_data', 'problem'])
  await world.clock.advance(3 * minute + 1_000)
  t.match(await incident(), { id: silent.id, status: 'no_data' })
  await fails()
  t.match(await incident(), { id: silent.id, status: 'problem' })
  t.strictSame(await told(), ['no_data', 'problem'], 'and never again')
})

t.test('silence during a problem changes only the history of the incident', async t => {
  const { id, fails, incident, told } = await watched(60)
  await fails()
  await world.clock.advance(confirmMs)
  t.equal((await incident()).status, 'problem')
  await world.clock.advance(minute + 1_000)
  t.equal((await incident()).status, 'no_data')
  t.strictSame(await told(), ['problem'])
  const history = await world.store.find('history', { where: { subjectId: id }, sort: [['sequence', 'asc']], limit: 10 })
  t.strictSame(
    history.map(({ kind }) => kind),
    ['pending', 'problem', 'no data'],
  )
})
