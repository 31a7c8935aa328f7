// Names with control or invisible characters: every route and command that stores a name refuses them and stores nothing.
import t from 'tap'
import type { Answer } from '../support/worlds/api-world.ts'
import { startSessionWorld } from '../support/worlds/session-world.ts'
import { startWholeWorld } from '../support/worlds/whole-world.ts'

const home = 'home000000'
const deceiving: Record<string, string> = { NUL: 'Shop \0x', 'U+202E': 'Shop \u202egnp.exe', 'U+2066': '\u2066Shop\u2069' }
/** Text with invisible joiners that are legal: some are inside an emoji, one is inside a Persian word. */
const visible = '👩‍👩‍👧 می‌خواهم'
let number = 0

/** A request of generations 1 and 2 that stores a name: its path, its body and the message of its refusal. */
type Door = [path: string, body: Record<string, unknown>, message: string]

t.test('generations 1 and 2 refuse a name with hidden characters and store nothing', async t => {
  const world = await startWholeWorld()
  t.teardown(() => world.stop())
  const { token } = await world.addPerson('owner', { [home]: 'owner' })
  const post = (path: string, body: unknown): Promise<Answer> => world.call('POST', `/api${path}`, { token, body })
  const made = async (path: string, body: unknown) => (await post(path, body)).json.result.id
  const website = {
    workspace_id: home,
    interval: 60,
    request: { url: 'https://shop.example/', method: 'GET' },
    response: { statuses: [200] },
  }
  const rule = { document: { inputs: [{ signal: 'beat', mode: 'status' }], decision: { need: 'any' } } }
  const destination = { url: 'https://hooks.example/x' }
  const template = { template: '{{ subject }}' }
  const monitor = await made('/v2/monitoring/websites', { ...website, name: 'Shop' })
  const subject = `/v2/subjects/${await made('/v2/subjects', { workspace_id: home, name: 'Jobs' })}`
  const signal = `${subject}/signals/${await made(`${subject}/signals`, { name: 'Beat', kind: 'event' })}`
  const subjectRule = `${subject}/rules/${await made(`${subject}/rules`, { ...rule, name: 'Stuck' })}`
  const [destinations, templates] = ['/v2/notifications/destinations', '/v2/notifications/transformations']
  const oneDestination = await made(destinations, { ...destination, name: 'Ops', destination_type: 'webhook' })
  const oneTemplate = await made(templates, { ...template, name: 'Pager' })
  const doors: Door[] = [
    ['/v2/monitoring/websites', website, 'Validation failed'],
    [`/v2/monitoring/websites/${monitor}`, website, 'Validation failed'],
    ['/v1/rules', website, 'Validation failed'],
    [`/v1/rules/${monitor}`, website, 'Validation failed'],
    ['/v2/subjects', { workspace_id: home }, 'Invalid name'],
    [`${subject}/signals`, { kind: 'event' }, 'Invalid name'],
    [signal, {}, 'Invalid name'],
    [`${subject}/rules`, rule, 'Invalid name'],
    [subjectRule, rule, 'Invalid name'],
    [destinations, { ...destination, destination_type: 'webhook' }, 'Invalid name'],
    [`${destinations}/${oneDestination}`, destination, 'Invalid name'],
    [templates, template, 'Invalid name'],
    [`${templates}/${oneTemplate}`, template, 'Invalid name'],
  ]
  for (const [path, body, message] of doors) {
    for (const [title, name] of Object.entries(deceiving)) {
      const before = await world.dump()
      const { error } = (await post(path, { ...body, name })).json
      t.match(error, { code: 2001, message, details: /control or invisible characters/ }, `${path} with ${title}`)
      t.equal(await world.dump(), before, `${path} with ${title} stores nothing`)
    }
    const name = `${visible} ${++number}`
    t.match((await post(path, { ...body, name })).json, { error: null, result: { name } }, path)
  }
})

t.test('name with hidden characters is refused with a session, and nothing is stored', async t => {
  const world = await startSessionWorld(t)
  const owner = await world.signedIn('owner')
  await world.addPerson('vera')
  const [location] = (await owner.send('GET', '/api/v3/locations')).json.result
  const doors: [method: string, path: string, field: string, body: Record<string, unknown>, message: string][] = [
    ['POST', '/api/v3/workspaces', 'name', {}, 'Invalid name'],
    ['PATCH', `/api/v3/workspaces/${world.workspaceId}`, 'name', {}, 'Invalid name'],
    ['POST', '/api/v3/users', 'display_name', { username: 'zoe' }, 'Invalid display name'],
    ['PATCH', '/api/v3/users/user-vera', 'display_name', {}, 'Invalid display name'],
    ['POST', '/api/v3/locations', 'name', {}, 'Invalid name'],
    ['POST', '/api/v3/locations', 'display_name', { name: 'de' }, 'Invalid display name'],
    ['PATCH', `/api/v3/locations/${location.id}`, 'display_name', {}, 'Invalid display name'],
    ['PATCH', `/api/v3/locations/${location.id}`, 'name', {}, 'Invalid name'],
    ['POST', '/session/keys', 'description', {}, 'Invalid description'],
    ['POST', '/api/v3/prober-credentials', 'description', { location: 'de' }, 'Invalid description'],
  ]
  for (const [method, path, field, body, message] of doors) {
    for (const [title, name] of Object.entries(deceiving)) {
      const before = await world.dump()
      const refused = await owner.send(method, path, { body: { ...body, [field]: name } })
      const about = `${method} ${path} with ${title} as ${field}`
      t.equal(refused.status, 422, about)
      const ofV3 = { code: 1422, message: /control (or invisible )?characters/, details: { field } }
      const ofSession = { code: 'invalid', message, details: /control or invisible characters/ }
      t.match(refused.json.error, path.startsWith('/api/v3/') ? ofV3 : ofSession, about)
      t.equal(await world.dump(), before, `${about} stores nothing`)
    }
    const name = `${visible} ${++number}`
    const taken = await owner.send(method, path, { body: { ...body, [field]: name } })
    t.match(taken.json.result ?? taken.json, { [field]: name }, `${method} ${path}`)
  }
})
