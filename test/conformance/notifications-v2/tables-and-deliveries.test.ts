// Delivery tables, messages and the delivery log of generation 2 (reference/messages). Tested on the real directory and notifier, with
// receivers over HTTP.
import t from 'tap'
import { subjects } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import { alert, until } from '../../notifier/house.ts'
import { resultOf } from '../../support/clients/answers.ts'
import {
  addDestination,
  addSubject,
  addTransformation,
  answerWith,
  base,
  both,
  changes,
  deliveries,
  destination,
  destinations,
  documentsNameEveryRefusal,
  editor,
  foreign,
  get,
  home,
  inHome,
  makeThings,
  now,
  other,
  owner,
  post,
  receiver,
  refuses,
  remove,
  stranger,
  things,
  transformations,
  viewer,
  workspace,
  world,
} from '../../support/worlds/notifications-v2-world.ts'

t.test('fixture creates the objects that the refusals need', makeThings)
const tables: [title: string, path: string, publicId: string, subjectId: string][] = [
  ['a website monitor', '/api/v2/monitoring/websites/Web0000001/delivery', 'Web0000001', 'Web0000001'],
  ['a custom subject', '/api/v2/subjects/nightly-job/delivery', 'nightly-job', 'Cus0000001'],
]
for (const [title, path, publicId] of tables) {
  t.test(`delivery table of ${title} is read, replaced and cleared`, async t => {
    const bare = {
      subject_id: publicId,
      selections: [],
      default_destination_id: things.first,
      fallback: 'workspace_default',
      workspace_id: home,
      kind: 'subject_alert_delivery',
    }
    t.strictSame(resultOf(await get(path)), bare)
    const selections = [
      { destination_id: things.off, alert_kinds: ['recovery', 'problem', 'recovery'] },
      { destination_id: things.second, alert_kinds: ['no_data'] },
    ]
    const full = {
      ...bare,
      selections: [
        { destination_id: things.off, destination_name: 'Off', alert_kinds: ['recovery', 'problem'] },
        { destination_id: things.second, destination_name: 'Second', alert_kinds: ['no_data'] },
      ],
      fallback: '',
    }
    t.strictSame(resultOf(await post(path, { selections }, editor)), full)
    t.strictSame(resultOf(await get(path, viewer)), full, 'any member reads it')
    t.strictSame(resultOf(await get(`${path}?workspace_id=${home}`, both)), full)
    t.strictSame(resultOf(await post(path, { selections: [] })), bare, 'no rows is the same as DELETE')
    t.strictSame(resultOf(await post(path, { selections: selections.slice(1) })).selections, full.selections.slice(1))
    t.strictSame(resultOf(await remove(path)), bare)
    t.strictSame(resultOf(await remove(path)), bare, 'twice is fine')
  })
}
t.test('delivery table without rows says `silence` when there is no default destination', async t => {
  const { id, token } = await workspace('silence')
  await addSubject('Sil0000001', id, 'custom', 'silent')
  const path = '/api/v2/subjects/silent/delivery'
  t.match(resultOf(await get(path, token)), { selections: [], default_destination_id: null, fallback: 'silence' })
})
t.test('website table ignores unknown fields, so a client can send a response back unchanged', async t => {
  const path = '/api/v2/monitoring/websites/Web0000001/delivery'
  const sent = resultOf(await post(path, { selections: [{ destination_id: things.first, alert_kinds: ['problem'] }] }))
  t.strictSame(resultOf(await post(path, sent)), sent)
  resultOf(await remove(path))
})
const row = (change: Record<string, unknown> = {}) => ({ destination_id: things.second, alert_kinds: ['problem'], ...change })
refuses(
  tables.flatMap(([title, path]) => [
    ...(
      [
        ['no selections', () => ({}), 2001, 'Validation failed'],
        ['selections null', () => ({ selections: null }), 2001, 'Validation failed'],
        ['a row without a destination', () => ({ selections: [row({ destination_id: undefined })] }), 2001, 'Validation failed'],
        ['a row without kinds', () => ({ selections: [row({ alert_kinds: undefined })] }), 2001, 'No alert kinds'],
        ['an empty list of kinds', () => ({ selections: [row({ alert_kinds: [] })] }), 2001, 'No alert kinds'],
        ['another kind', () => ({ selections: [row({ alert_kinds: ['problem', 'reminder'] })] }), 2001, 'Invalid alert kind'],
        ['a kind in another case', () => ({ selections: [row({ alert_kinds: ['Problem'] })] }), 2001, 'Invalid alert kind'],
        ['a destination twice', () => ({ selections: [row(), row()] }), 2001, 'Duplicate destination'],
        [
          'an unknown destination',
          () => ({ selections: [row(), row({ destination_id: 999_999 })] }),
          2002,
          'Destination not found',
        ],
        ['half a destination', () => ({ selections: [row({ destination_id: 1.5 })] }), 2002, 'Destination not found'],
        [
          'a destination of another workspace',
          () => ({ selections: [row({ destination_id: things.foreign })] }),
          2002,
          'Destination not found',
        ],
        [
          'a hundred and one destinations',
          () => ({ selections: Array.from({ length: 101 }, (_, i) => row({ destination_id: i + 1 })) }),
          2002,
          'Destination not found',
        ],
        ['a text as destination', () => ({ selections: [row({ destination_id: '1' })] }), 2006, 'Invalid JSON'],
        ['a text as kinds', () => ({ selections: [row({ alert_kinds: 'problem' })] }), 2006, 'Invalid JSON'],
        ['an object as selections', () => ({ selections: {} }), 2006, 'Invalid JSON'],
        ['null as a row', () => ({ selections: [null] }), 2006, 'Invalid JSON'],
      ] as [string, () => unknown, number, string][]
    ).map(([what, body, code, message]) => ({ title: `${title}: ${what}`, send: () => post(path, body()), code, message })),
    {
      title: `${title}: a viewer's POST`,
      send: () => post(path, { selections: [] }, viewer),
      code: 2005,
      message: 'Access denied',
    },
    { title: `${title}: a viewer's DELETE`, send: () => remove(path, viewer), code: 2005, message: 'Access denied' },
  ]),
)
refuses([
  {
    title: 'a row without a destination is named by its path',
    send: () => post('/api/v2/subjects/nightly-job/delivery', { selections: [row(), row({ destination_id: null })] }),
    code: 2001,
    message: 'Validation failed',
    details: "Field 'selections[1].destination_id' is required",
  },
  {
    title: 'an unknown field in the table of a custom subject',
    send: () => post('/api/v2/subjects/nightly-job/delivery', { selections: [], kind: 'x' }),
    code: 2006,
    message: 'Invalid JSON',
  },
  {
    title: 'an unknown field in a row of a custom subject',
    send: () => post('/api/v2/subjects/nightly-job/delivery', { selections: [row({ destination_name: 'x' })] }),
    code: 2006,
    message: 'Invalid JSON',
  },
  ...['GET', 'POST', 'DELETE'].flatMap(method => {
    const send = (path: string) => () =>
      world.call(method, path, { token: owner, ...(method === 'POST' ? { raw: '{broken' } : {}) })
    const website = (id: string) => `/api/v2/monitoring/websites/${id}/delivery`
    return [
      {
        title: `${method} of an unknown website`,
        send: send(website('Web0000009')),
        code: 2002,
        message: 'Website monitor not found',
      },
      {
        title: `${method} of a foreign website`,
        send: send(website('For0000001')),
        code: 2002,
        message: 'Website monitor not found',
      },
      {
        title: `${method} of a custom subject as a website`,
        send: send(website('Cus0000001')),
        code: 2004,
        message: 'Custom subjects are managed elsewhere',
      },
      {
        title: `${method} of an unknown subject`,
        send: send('/api/v2/subjects/nobody/delivery'),
        code: 2002,
        message: 'Subject not found',
      },
      {
        title: `${method} of a foreign subject`,
        send: send('/api/v2/subjects/foreign-job/delivery'),
        code: 2002,
        message: 'Subject not found',
      },
      {
        title: `${method} of a website as a subject`,
        send: send('/api/v2/subjects/slug-Web0000001/delivery'),
        code: 2004,
        message: 'Website subjects are managed elsewhere',
      },
      {
        title: `${method} of a subject in a foreign workspace`,
        send: send(`/api/v2/subjects/nightly-job/delivery?workspace_id=${foreign}`),
        code: 2005,
        message: 'Access denied',
      },
    ]
  }),
])
t.test('slug is ambiguous when two workspaces have it', async t => {
  await addSubject('Amb0000001', home, 'custom', 'twice')
  await addSubject('Amb0000002', other, 'custom', 'twice')
  const path = '/api/v2/subjects/twice/delivery'
  t.match((await get(path, both)).json.error, { code: 2004, message: 'Ambiguous subject' })
  t.match(resultOf(await get(`${path}?workspace_id=${other}`, both)), { workspace_id: other })
})

let alerts = 0
/** Makes the notifier send an alert about a subject. */
const tell = async (workspaceId: string, subjectId: string, change: Partial<Parameters<typeof alert>[3]> = {}) => {
  const incidentId = `${subjectId}.${++alerts}`
  const made = alert('x', 'x', 1, {
    ...change,
    id: `${incidentId}.a1`,
    workspaceId,
    subjectId,
    incidentId,
    decidedAt: world.clock.now(),
  })
  await world.store.insert('alerts', [made])
  world.hub.connect().publish(subjects.alertNudge, { alertIds: [made.id] })
  const stored = async () => (await world.store.get('alerts', [made.id]))[0]
  await until(async () => (await stored())?.state === 'dispatched', 'the alert is dispatched')
  return (await stored())!
}
const told = async (token: string, count: number) => {
  await until(async () => (await get(deliveries, token)).json.result.length >= count, `${count} rows in the log`)
  return resultOf(await get(deliveries, token))
}

t.test('delivery table with rows selects the recipients, and a table without rows selects the default destination', async t => {
  const { id, token } = await workspace('route')
  await addSubject('Rou0000001', id)
  const path = '/api/v2/monitoring/websites/Rou0000001/delivery'
  const made = async (name: string) =>
    addDestination(token, { name, url: `${receiver.url}&${name}`, destination_type: 'webhook' })
  const [fallback, pager, off] = [await made('fallback'), await made('pager'), await made('off')]
  resultOf(await post(`${destinations}/${off.id}/enabled`, { enabled: false }, token))
  const names = async (count: number) =>
    (await told(token, count)).map((one: { destination_name: string }) => one.destination_name)

  t.match(await tell(id, 'Rou0000001'), { deliveries: 1, skipped: [] })
  t.strictSame(await names(1), ['fallback'], 'no rows: the default')
  const selections = [
    { destination_id: pager.id, alert_kinds: ['problem'] },
    { destination_id: off.id, alert_kinds: ['problem', 'recovery'] },
  ]
  resultOf(await post(path, { selections }, token))
  t.match(await tell(id, 'Rou0000001'), { deliveries: 1, skipped: [{ reason: 'destination_disabled' }] })
  t.strictSame(await names(2), ['pager', 'fallback'], 'its own rows alone')
  t.match(await tell(id, 'Rou0000001', { kind: 'no_data' }), {
    deliveries: 0,
    skipped: [{ destinationId: null, reason: 'not_routed' }],
  })
  t.match(await tell(id, 'Rou0000001', { kind: 'recovery' }), { deliveries: 0, skipped: [{ reason: 'destination_disabled' }] })
  const held = await tell(id, 'Rou0000001', { held: 'maintenance' })
  t.equal(held.deliveries, 0)
  t.strictSame(held.skipped?.map(({ reason }) => reason).sort(), ['destination_disabled', 'maintenance'])
  resultOf(await remove(`${destinations}/${pager.id}`, token))
  resultOf(await remove(`${destinations}/${off.id}`, token))
  t.match(await tell(id, 'Rou0000001'), { deliveries: 1 })
  t.strictSame(await names(3), ['fallback', 'pager', 'fallback'], 'rows that name nothing are none')
  resultOf(await remove(`${destinations}/${fallback.id}`, token))
  t.match(await tell(id, 'Rou0000001'), { deliveries: 0, skipped: [{ destinationId: null, reason: 'no_destination' }] })
})

t.test('delivery log has exactly the documented fields, newest first, with filters and deleted destinations', async t => {
  const { id, token } = await workspace('log')
  await addSubject('Log0000001', id)
  const good = await addDestination(token, { name: 'good', url: receiver.url, destination_type: 'webhook' })
  await tell(id, 'Log0000001')
  const [first] = await told(token, 1)
  t.strictSame(first, {
    id: first.id,
    destination_id: good.id,
    destination_name: 'good',
    destination_type: 'webhook',
    alert_kind: 'problem',
    status: 'delivered',
    payload: receiver.hits.at(-1)?.body,
    error: '',
    at: now(),
    kind: 'notification_delivery',
  })
  const [row] = await world.store.find('deliveryLog', { where: { workspaceId: id }, limit: 1 })
  const said = (token: string) => `{ "text" : "see https://a.example/?token=${token}\\nDown for 0s" }`
  await world.store.insert('deliveryLog', [{ ...row!, id: 'planted', number: row!.number + 500, payload: said('hidden') }])
  const [planted] = await told(token, 2)
  t.equal(planted.payload, said('redacted'), 'a credential in an address is hidden, and every other byte stays')
  await world.store.deleteRange('deliveryLog', 'planted', 'planted~', 10)
  const bad = await addDestination(token, { name: 'bad', url: receiver.url, destination_type: 'webhook', default: true })
  answerWith({ status: 404, body: 'gone away' })
  world.clock.advance(1)
  await tell(id, 'Log0000001', { kind: 'recovery' })
  const [second] = await told(token, 2)
  answerWith({ status: 200 })
  t.match(second, {
    status: 'failed',
    alert_kind: 'recovery',
    destination_id: bad.id,
    error: 'http_404: the destination answered 404 Not Found',
  })
  resultOf(await post(`${destinations}/${bad.id}`, { name: 'renamed', url: 'https://elsewhere.example' }, token))
  resultOf(await remove(`${destinations}/${bad.id}`, token))
  const list = async (query: string) => resultOf(await get(`${deliveries}?${query}`, token))
  t.strictSame(await list(''), [second, first], 'as at the attempt')
  t.strictSame(await list('undelivered=true'), [second])
  t.strictSame(await list('undelivered=false&workspace_id='), [second, first])
  t.strictSame(await list(`destination_id=${bad.id}`), [second])
  t.strictSame(await list(`destination_id=${good.id}&undelivered=true`), [])
  t.strictSame(await list('limit=1'), [second])
  t.strictSame(await list('limit=1000&destination_id='), [second, first])
  for (const nobody of ['999999', 'x', '1.5', '-1']) t.strictSame(await list(`destination_id=${nobody}`), [], nobody)
  t.strictSame(resultOf(await get(deliveries, stranger)), [], 'a workspace sees its own')
})

t.test('long delivery log is returned in pages and ends after 1,000 rows', async t => {
  const { id, token } = await workspace('long')
  const rows = Array.from({ length: 1_100 }, (_, i) => ({
    id: `long.${i}`,
    rev: 1,
    number: 1_000_000 + i,
    workspaceId: id,
    destinationId: 'x',
    destinationNumber: 5,
    destinationName: 'x',
    destinationType: 'slack' as const,
    alertKind: 'problem' as const,
    status: 'delivered' as const,
    payload: 'y'.repeat(2_000),
    error: '',
    event: 'problem' as const,
    reason: null,
    shownInV2: 1 as const,
    incidentId: null,
    at: i,
    expireAt: 1e15,
  }))
  await world.store.insert('deliveryLog', rows)
  const ids = async (query: string) => resultOf(await get(deliveries + query, token)).map((one: { id: number }) => one.id)
  const newest = rows.map(({ number }) => number).reverse()
  t.strictSame(await ids(''), newest.slice(0, 1_000))
  t.strictSame(await ids('?limit=321'), newest.slice(0, 321))
})

refuses([
  ...['0', '1001', '-1', '1.5', 'x', '1e2', '99999999999'].map(limit => ({
    title: `the limit ${limit}`,
    send: () => get(`${deliveries}?limit=${limit}`),
    code: 2001,
    message: 'Validation failed',
  })),
  ...['1', 'yes', 'TRUE'].map(undelivered => ({
    title: `undelivered=${undelivered}`,
    send: () => get(`${deliveries}?undelivered=${undelivered}`),
    code: 2001,
    message: 'Validation failed',
  })),
])

type Route = [method: string, path: string, body?: Record<string, unknown>]
const routesWithEditor: Route[] = [
  ['GET', destinations],
  ['POST', destinations, destination()],
  ['GET', `${destinations}/:destination`],
  ['POST', `${destinations}/:destination`, changes()],
  ['DELETE', `${destinations}/:destination`],
  ['POST', `${destinations}/:destination/enabled`, { enabled: true }],
  ['POST', `${destinations}/:destination/default`, {}],
  ['POST', `${destinations}/:destination/test`, {}],
  ['GET', transformations],
  ['POST', transformations, { name: 'New', template: 'x' }],
  ['POST', `${transformations}/preview`, { template: 'x' }],
  ['GET', `${transformations}/:transformation`],
  ['POST', `${transformations}/:transformation`, { name: 'New', template: 'x' }],
  ['DELETE', `${transformations}/:transformation`],
  ['GET', deliveries],
]
const send =
  ([method, path, body]: Route, query: string, token: () => string, raw?: string) =>
  () => {
    const full = path.replace(':destination', String(things.second)).replace(':transformation', String(things.transformation))
    const json = { 'content-type': 'application/json' }
    const sent = method !== 'POST' ? {} : raw === undefined ? { body } : { raw, headers: json }
    return world.call(method, full + query, { token: token(), ...sent })
  }
refuses(
  routesWithEditor.flatMap(route => {
    const title = `${route[0]} ${route[1].slice(base.length)}`
    return [
      { title: `${title} without a key`, send: send(route, '', () => ''), code: 1001 },
      {
        title: `${title} with two workspaces and none named`,
        send: send(route, '', () => both),
        code: 2004,
        message: 'Ambiguous workspace',
      },
      {
        title: `${title} with two workspaces, none named and a broken body`,
        send: send(route, '', () => both, '{broken'),
        code: 2004,
        message: 'Ambiguous workspace',
      },
      { title: `${title} by a stranger`, send: send(route, inHome, () => stranger), code: 2005, message: 'Access denied' },
      {
        title: `${title} in a workspace that does not exist`,
        send: send(route, '?workspace_id=nothing', () => owner),
        code: 2005,
      },
      { title: `${title} by a viewer`, send: send(route, '', () => viewer), code: 2005, message: 'Access denied' },
      ...(route[0] === 'POST'
        ? [
            { title: `${title} by a viewer with a broken body`, send: send(route, '', () => viewer, '{broken'), code: 2005 },
            {
              title: `${title} by a stranger with a broken body`,
              send: send(route, inHome, () => stranger, '{broken'),
              code: 2005,
            },
            {
              title: `${title} with a broken body`,
              send: send(route, inHome, () => owner, '{broken'),
              code: 2006,
              message: 'Invalid JSON',
            },
            { title: `${title} with a list`, send: send(route, '', () => owner, '[]'), code: 2006, message: 'Invalid JSON' },
          ]
        : []),
      ...(route[1].includes('/:')
        ? [
            {
              title: `${title} of nothing by a viewer`,
              send: send([route[0], route[1].replace(/:\w+/, '999999'), route[2]] as Route, '', () => viewer, '{broken'),
              code: 2002,
            },
          ]
        : []),
    ]
  }),
)
t.test('workspace is read from the body when the query does not name a workspace', async t => {
  const sent = { enabled: true, workspace_id: home }
  t.match(resultOf(await post(`${destinations}/${things.second}/enabled`, sent, both)), { workspace_id: home })
  const elsewhere = await post(`${destinations}/${things.second}/enabled`, { ...sent, workspace_id: foreign }, both)
  t.match(elsewhere.json.error, { code: 2005 })
})

t.test('destination or transformation beyond the bound of the workspace is refused', async t => {
  const { token } = await workspace('full')
  for (let i = 0; i < limits.destination.perWorkspace; i++) await addDestination(token, { name: `d${i}` })
  t.match((await post(destinations, destination({ name: 'more' }), token)).json.error, {
    code: 2004,
    message: 'Too many destinations',
  })
  for (let i = 0; i < limits.template.perWorkspace; i++) await addTransformation(token, `t${i}`, 'x'.repeat(16 * 1024))
  const more = await post(transformations, { name: 'more', template: 'x' }, token)
  t.match(more.json.error, { code: 2004, message: 'Too many transformations' })
  t.equal(resultOf(await get(transformations, token)).length, limits.template.perWorkspace, 'a list of more than one page')
})

t.test('address of a destination is absent from every log line, log row and refusal', async t => {
  const rows = await world.store.find('deliveryLog', { limit: 10_000 })
  t.ok(rows.length > 10)
  t.ok(world.logged.length > 0)
  t.notMatch(JSON.stringify(rows), /T0secretT0|B1secretB1|hunter2|hooks\.example/)
  t.notMatch(world.logged.join('\n'), /T0secretT0|B1secretB1|hunter2|hooks\.example/)
})

documentsNameEveryRefusal()
