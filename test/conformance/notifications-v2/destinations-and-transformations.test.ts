// Destinations and transformations of generation 2 (reference/messages). Tested on the real directory and notifier, with receivers over
// HTTP.
import t from 'tap'
import { type Refusal, resultOf } from '../../support/clients/answers.ts'
import {
  addDestination,
  addSubject,
  addTransformation,
  answerWith,
  both,
  changes,
  deliveries,
  destination,
  destinations,
  documentsNameEveryRefusal,
  get,
  home,
  inHome,
  makeThings,
  marks,
  now,
  owner,
  post,
  receiver,
  refuses,
  remove,
  things,
  transformations,
  workspace,
  world,
} from '../../support/worlds/notifications-v2-world.ts'

t.test('destinations are listed by name, and a created destination is enabled and has exactly the documented fields', async t => {
  const { id, token } = await workspace('create')
  t.strictSame(resultOf(await get(destinations, token)), [])
  const first = await addDestination(token, { channel: ' # #ops ' })
  t.ok(Number.isInteger(first.id))
  t.strictSame(first, {
    id: first.id,
    name: 'Ops',
    destination_type: 'slack',
    channel: 'ops',
    url: 'https://hooks.example/x',
    enabled: true,
    default: true,
    transformation_id: null,
    workspace_id: id,
    created_at: now(),
    updated_at: now(),
    kind: 'notification_destination',
  })
  const second = await addDestination(token, { name: 'alpha', destination_type: 'webhook', channel: '#x' })
  t.match(second, { channel: '', default: false, destination_type: 'webhook' })
  t.strictSame(resultOf(await get(destinations, token)), [second, first])
  t.strictSame(resultOf(await get(`${destinations}/${first.id}`, token)), first)
})

t.test('optional field counts as absent when it is sent as null or empty text', async t => {
  const { token } = await workspace('unset')
  for (const unset of [null, '']) {
    const sent = { name: `Unset ${unset}`, channel: unset, default: unset, transformation_id: unset, workspace_id: unset }
    const made = await addDestination(token, sent)
    t.match(made, { channel: '', transformation_id: null })
    const { name, url } = made
    const rest = { channel: unset, default: unset, transformation_id: unset, workspace_id: unset }
    t.strictSame(resultOf(await post(`${destinations}/${made.id}`, { name, url, ...rest }, token)), made)
  }
})

t.test('POST destinations/{id} replaces name, channel, URL, default and transformation', async t => {
  const { id: workspaceId, token } = await workspace('update')
  const { id: transformationId } = await addTransformation(token, 'T', 'x')
  const first = await addDestination(token, { channel: 'one', transformation_id: transformationId })
  t.equal(first.transformation_id, transformationId)
  const second = await addDestination(token, { name: 'Second', destination_type: 'webhook' })
  world.clock.advance(1_000)
  const path = `${destinations}/${second.id}`
  const sent = { name: 'SECOND', url: 'http://b.example/', channel: '#y', default: true, transformation_id: transformationId }
  const updated = resultOf(await post(path, sent, token))
  t.strictSame(updated, {
    ...second,
    ...sent,
    channel: '',
    updated_at: now(),
  })
  t.strictSame(resultOf(await get(path, token)), updated, 'read your write')
  t.strictSame(await marks(token), ['SECOND'], 'the mark has moved')
  const bare = resultOf(await post(path, { name: 'SECOND', url: 'http://b.example/', default: false }, token))
  t.match(bare, { transformation_id: null, default: true }, 'what is left out is not kept; default: false leaves the mark')
  const slack = resultOf(
    await post(`${destinations}/${first.id}`, { name: 'Ops', url: 'http://c.example', workspace_id: workspaceId }, token),
  )
  t.match(slack, { channel: '', url: 'http://c.example', destination_type: 'slack', default: false, transformation_id: null })
})

t.test('POST enabled switches a destination on and off, and keeps its default mark and its rows in delivery tables', async t => {
  const { token } = await workspace('switch')
  const made = await addDestination(token)
  const path = `${destinations}/${made.id}`
  world.clock.advance(5)
  const off = resultOf(await post(`${path}/enabled`, { enabled: false }, token))
  t.strictSame(off, { ...made, enabled: false, updated_at: now() })
  world.clock.advance(5)
  t.strictSame(resultOf(await post(`${path}/enabled`, { enabled: false }, token)), off, 'a repeat changes nothing')
  t.strictSame(resultOf(await post(`${path}/enabled`, { enabled: true }, token)), { ...made, updated_at: now() })
})

t.test('POST default makes a destination the workspace default, with an empty body or no body', async t => {
  const { token } = await workspace('default')
  await addDestination(token, { name: 'a' })
  const b = await addDestination(token, { name: 'b' })
  const c = await addDestination(token, { name: 'c' })
  world.clock.advance(5)
  t.strictSame(resultOf(await post(`${destinations}/${b.id}/default`, undefined, token)), {
    ...b,
    default: true,
    updated_at: now(),
  })
  t.strictSame(await marks(token), ['b'])
  t.match(resultOf(await post(`${destinations}/${c.id}/default`, {}, token)), { default: true })
  t.strictSame(await marks(token), ['c'], 'also within the same millisecond')
  t.match(
    resultOf(await post(`${destinations}/${b.id}`, changes({ name: 'b' }), token)),
    { default: false },
    'a change is no mark',
  )
  t.strictSame(await marks(token), ['c'])
})

t.test('DELETE destinations/{id} removes the selections of the destination, keeps its log, and sets no new default', async t => {
  const { id: workspaceId, token } = await workspace('delete')
  const a = await addDestination(token, { name: 'a' })
  const b = await addDestination(token, { name: 'b', default: true })
  await addSubject('Del0000001', workspaceId)
  const table = '/api/v2/monitoring/websites/Del0000001/delivery'
  const rows = [a, b].map(({ id }) => ({ destination_id: id, alert_kinds: ['problem'] }))
  resultOf(await post(table, { selections: rows }, token))
  t.strictSame(resultOf(await remove(`${destinations}/${b.id}`, token)), {
    message: 'Destination deleted successfully',
    destination_id: b.id,
    workspace_id: workspaceId,
    was_default: true,
  })
  t.match(resultOf(await get(table, token)), {
    selections: [{ destination_id: a.id }],
    default_destination_id: null,
    fallback: '',
  })
  t.strictSame(await marks(token), [], 'no other becomes default')
  t.equal((await addDestination(token, { name: 'c' })).default, false, 'the first of a workspace it is not')
  t.match(resultOf(await remove(`${destinations}/${a.id}`, token)), { was_default: false })
  t.match(resultOf(await get(table, token)), { selections: [], default_destination_id: null, fallback: 'silence' })
  t.match((await remove(`${destinations}/${a.id}`, token)).json.error, { code: 2002, message: 'Destination not found' })
  const [table1] = await world.store.get('deliveryTables', ['Del0000001'])
  t.strictSame(table1?.selections, [], 'nothing is left behind')
  t.match(await addDestination(token, { name: 'a' }), { name: 'a' }, 'the name is free again')
})

t.test('POST test sends one real message, and the delivery log shows the message as a problem', async t => {
  const { id: workspaceId, token } = await workspace('test')
  const made = await addDestination(token, { url: receiver.url, destination_type: 'webhook' })
  resultOf(await post(`${destinations}/${made.id}/enabled`, { enabled: false }, token))
  const before = receiver.hits.length
  answerWith({ status: 204 })
  t.strictSame(resultOf(await post(`${destinations}/${made.id}/test`, undefined, token)), {
    message: 'Test message delivered',
    destination_id: made.id,
    workspace_id: workspaceId,
  })
  t.equal(receiver.hits.length, before + 1)
  t.match(JSON.parse(receiver.hits.at(-1)?.body ?? ''), { attachments: [{ author_name: 'Watchkeeper' }], incident: {} })
  const path = new URL(receiver.url).pathname
  answerWith({ status: 500, body: `no such hook: ${path}` })
  const refused = (await post(`${destinations}/${made.id}/test`, {}, token)).json.error
  t.match(refused, { code: 2004, message: 'Destination did not accept the test message', details: /^http_500: / })
  t.notMatch(refused.details, /no such hook/, 'only an answer of a public address is quoted')
  t.notMatch(JSON.stringify(refused), /secret|hunter2/)
  t.equal(receiver.hits.length, before + 2, 'never tried again')
  const rows = resultOf(await get(deliveries, token))
  t.match(rows, [
    { status: 'failed', alert_kind: 'problem', payload: receiver.hits.at(-1)?.body },
    { status: 'delivered', error: '' },
  ])
  answerWith({ status: 200 })
})

t.test('messages and tests of a destination are rendered by its transformation', async t => {
  const { id: workspaceId, token } = await workspace('tmpl')
  const { id } = await addTransformation(token, 'Pager', '{"text": "{{ subject }}: {{ error }}", "ws": "{{ workspace }}"}')
  const made = await addDestination(token, { url: receiver.url, destination_type: 'webhook', transformation_id: id })
  resultOf(await post(`${destinations}/${made.id}/test`, undefined, token))
  const shown = JSON.parse(receiver.hits.at(-1)?.body ?? '')
  t.match(shown, { text: /^Test message: /, ws: `Name of ${workspaceId}` })
  t.equal(receiver.hits.at(-1)?.headers['content-type'], 'application/json')
  const { id: plain } = await addTransformation(token, 'Plain', '{{ summary }}\n{{ link }}')
  resultOf(await post(`${destinations}/${made.id}`, { name: 'Ops', url: receiver.url, transformation_id: plain }, token))
  resultOf(await post(`${destinations}/${made.id}/test`, undefined, token))
  t.match(receiver.hits.at(-1), {
    body: /^Test message\. Nothing is wrong\.\nhttps:/,
    headers: { 'content-type': 'text/plain; charset=utf-8' },
  })
})

const unknown = { name: 'Destination', message: 'Destination not found', code: 2002 }
const badDestination = (title: string, change: Record<string, unknown>, message: string, code = 2001): Refusal[] => [
  { title: `creating a destination with ${title}`, send: () => post(destinations + inHome, destination(change)), code, message },
  {
    title: `updating a destination with ${title}`,
    send: () => post(`${destinations}/${things.second}${inHome}`, changes(change)),
    code,
    message,
  },
]
t.test('fixture creates the objects that the refusals need', makeThings)
const longUrl = (characters: number) => `https://a.example/${'x'.repeat(characters - 18)}`
refuses([
  ...badDestination('no name', { name: undefined }, 'Validation failed'),
  ...badDestination('an empty name', { name: '' }, 'Invalid name'),
  ...badDestination('a blank name', { name: ' \u00a0 ' }, 'Invalid name'),
  ...badDestination('a name of 101 characters', { name: '😀'.repeat(101) }, 'Invalid name'),
  ...badDestination('a name taken in another case', { name: ' tAKEN ' }, 'Destination name taken'),
  ...badDestination('no url', { url: undefined }, 'Validation failed'),
  ...badDestination('an empty url', { url: '' }, 'Invalid url'),
  ...badDestination('a url of 2,049 characters', { url: longUrl(2_049) }, 'Invalid url'),
  ...badDestination('a url with a password', { url: 'https://user:pass@a.example' }, 'Invalid url'),
  ...badDestination('a url with a user name', { url: 'https://user@a.example' }, 'Invalid url'),
  ...[
    'ftp://a.example',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'a.example',
    'https://',
    'https://a b.example',
    'http://[::1',
  ].flatMap(url => badDestination(`the url ${url}`, { url }, 'Invalid url')),
  ...badDestination('a channel of 81 characters', { channel: 'x'.repeat(81) }, 'Invalid channel'),
  ...badDestination('an unknown transformation', { transformation_id: 999_999 }, 'Transformation not found', 2002),
  ...badDestination('half a transformation', { transformation_id: 1.5 }, 'Transformation not found', 2002),
  ...badDestination('a text as transformation', { transformation_id: '1' }, 'Invalid JSON', 2006),
  ...badDestination('a text as default', { default: 'true' }, 'Invalid JSON', 2006),
  ...badDestination('a number as name', { name: 5 }, 'Invalid JSON', 2006),
  ...badDestination('a number as workspace', { workspace_id: 5 }, 'Invalid JSON', 2006),
  ...badDestination('an unknown field', { enabled: true }, 'Invalid JSON', 2006),
  ...badDestination('a kind', { kind: 'notification_destination' }, 'Invalid JSON', 2006),
  ...badDestination('a field that pollutes prototypes', JSON.parse('{"__proto__": {"name": 5}}'), 'Invalid JSON', 2006),
  ...badDestination('a broken surrogate', { name: 'a\ud800' }, 'Invalid JSON', 2006),
  {
    title: 'a transformation of another workspace',
    send: () => post(destinations + inHome, destination({ name: 'New', transformation_id: things.foreignTransformation })),
    code: 2002,
    message: 'Transformation not found',
  },
  {
    title: 'no type',
    send: () => post(destinations, destination({ destination_type: undefined })),
    code: 2001,
    message: 'Validation failed',
  },
  ...['', 'email', 'SLACK', '__proto__'].map(type => ({
    title: `the type '${type}'`,
    send: () => post(destinations, destination({ destination_type: type })),
    code: 2001,
    message: 'Invalid destination type',
  })),
  {
    title: 'a type in an update',
    send: () => post(`${destinations}/${things.second}`, destination({ name: 'Second' })),
    code: 2006,
    message: 'Invalid JSON',
    details: /destination_type/,
  },
  {
    title: 'default: true on a disabled destination',
    send: () => post(`${destinations}/${things.off}`, changes({ name: 'Off', default: true })),
    code: 2004,
    message: 'Destination is disabled',
  },
  {
    title: 'POST default on a disabled destination',
    send: () => post(`${destinations}/${things.off}/default`),
    code: 2004,
    message: 'Destination is disabled',
  },
  ...[
    ['no', {}, 2001, 'Validation failed'],
    ['null as', { enabled: null }, 2001, 'Validation failed'],
    ['a text as', { enabled: 'true' }, 2006, 'Invalid JSON'],
    ['an unknown field beside', { enabled: true, on: true }, 2006, 'Invalid JSON'],
  ].map(([title, body, code, message]) => ({
    title: `${title} enabled`,
    send: () => post(`${destinations}/${things.second}/enabled`, body),
    code: code as number,
    message: message as string,
  })),
  ...['default', 'test'].map(action => ({
    title: `an unknown field sent to ${action}`,
    send: () => post(`${destinations}/${things.second}/${action}`, { force: true }),
    code: 2006,
    message: 'Invalid JSON',
  })),
  ...['0', '-1', '1.5', 'x', '1e3', '999999', '99999999999999999999', '%00', 'samples', '__proto__'].flatMap(id =>
    ['GET', 'POST', 'DELETE'].map(method => ({
      title: `${method} of destination ${id}`,
      send: () =>
        world.call(method, `${destinations}/${id}${inHome}`, { token: owner, ...(method === 'POST' ? { body: changes() } : {}) }),
      code: unknown.code,
      message: unknown.message,
    })),
  ),
  {
    title: 'a destination of another workspace',
    send: () => get(`${destinations}/${things.foreign}${inHome}`),
    code: 2002,
    message: 'Destination not found',
  },
])

t.test('`url` of 2,048 characters and `url` with unusual but legal parts are accepted', async t => {
  const { token } = await workspace('urls')
  for (const [i, url] of [
    longUrl(2_048),
    'HTTPS://A.Example:8443/?q=ä#x',
    'http://[::1]:8080/',
    'http://127.0.0.1/x@y',
  ].entries())
    t.equal((await addDestination(token, { name: `u${i}`, url })).url, url)
})

const templates: [title: string, template: string, contentType: string][] = [
  ['plain text', 'Hello {{subject}}', 'text/plain'],
  ['an object', '{"a": "{{ subject }}", "b": {"c": "{{ error }}"}}', 'application/json'],
  ['a list', '["{{ url }}"]', 'application/json'],
  ['blanks before an object', '\n {"a": 1}', 'application/json'],
  ['a text that begins with a field', '{{ subject }} is {{ status }}', 'text/plain'],
  ['16 KiB', 'é'.repeat(8 * 1024), 'text/plain'],
]
t.test('transformations are stored, read, listed by name, replaced and deleted with exactly the documented fields', async t => {
  const { id: workspaceId, token } = await workspace('trans')
  t.strictSame(resultOf(await get(transformations, token)), [])
  const made: Record<string, unknown>[] = []
  for (const [title, template, content_type] of templates.toReversed()) {
    const stored = await addTransformation(token, `B ${title}`, template)
    t.ok(Number.isInteger(stored.id))
    t.strictSame(stored, {
      id: stored.id,
      name: `B ${title}`,
      template,
      content_type,
      workspace_id: workspaceId,
      created_at: now(),
      updated_at: now(),
      kind: 'notification_transformation',
    })
    t.strictSame(resultOf(await get(`${transformations}/${stored.id}`, token)), stored)
    made.push(stored)
  }
  const first = await addTransformation(token, 'a first', 'x')
  const byName = [first, ...made.sort((a, b) => (String(a['name']).toLowerCase() < String(b['name']).toLowerCase() ? -1 : 1))]
  t.strictSame(resultOf(await get(transformations, token)), byName)
  world.clock.advance(7)
  const replaced = resultOf(
    await post(`${transformations}/${first.id}`, { name: 'A First', template: '[1]', workspace_id: null }, token),
  )
  t.strictSame(replaced, { ...first, name: 'A First', template: '[1]', content_type: 'application/json', updated_at: now() })
  const user = await addDestination(token, { transformation_id: first.id })
  t.equal(user.transformation_id, first.id)
  t.strictSame(resultOf(await remove(`${transformations}/${first.id}`, token)), {
    message: 'Transformation deleted successfully',
    transformation_id: first.id,
    workspace_id: workspaceId,
  })
  t.match(resultOf(await get(`${destinations}/${user.id}`, token)), { transformation_id: null }, 'destinations fall back')
  t.match((await remove(`${transformations}/${first.id}`, token)).json.error, { code: 2002, message: 'Transformation not found' })
})

t.test('GET samples returns three messages to any caller with a key', async t => {
  const nobody = (await world.addPerson('nobody', {})).token
  const samples = resultOf(await get(`${transformations}/samples`, nobody))
  t.strictSame(resultOf(await get(`${transformations}/samples`, both)), samples, 'no workspace is asked for')
  t.strictSame(
    samples.map((sample: Record<string, unknown>) => [Object.keys(sample), sample['alert_kind'], sample['label']]),
    [
      [['alert_kind', 'label', 'fields'], 'problem', 'Problems and reminders'],
      [['alert_kind', 'label', 'fields'], 'no_data', 'No data'],
      [['alert_kind', 'label', 'fields'], 'recovery', 'Recoveries'],
    ],
  )
  const names = [
    'kind',
    'status',
    'subject',
    'url',
    'summary',
    'error',
    'locations',
    'lasted',
    'link',
    'workspace',
    'at',
    'rule',
    'action',
    'resource',
    'evidence',
  ]
  for (const { alert_kind, fields } of samples) {
    t.strictSame(Object.keys(fields).sort(), names.toSorted(), alert_kind)
    for (const name of names) {
      t.type(fields[name], 'string')
      t.equal(fields[name] === '', alert_kind === 'recovery' && name === 'error', `${alert_kind} ${name}`)
    }
    t.equal(fields.kind, alert_kind)
    t.equal(fields.at, new Date(fields.at).toISOString())
  }
  t.strictSame(
    samples.map(({ fields }: { fields: { status: string } }) => fields.status),
    ['down', 'unknown', 'up'],
  )
})

t.test('POST preview renders a template against each sample and stores nothing', async t => {
  const before = await world.dump()
  const samples = resultOf(await get(`${transformations}/samples`))
  const preview = async (template: string) => resultOf(await post(`${transformations}/preview${inHome}`, { template }))
  const good = await preview('{"s": "{{ subject }}", "e": "{{error}}"}')
  t.strictSame(Object.keys(good), ['passed', 'results', 'kind'])
  t.equal(good.passed, true)
  t.equal(good.kind, 'notification_transformation_preview')
  for (const [i, result] of good.results.entries()) {
    const { alert_kind, label, fields } = samples[i]
    t.strictSame(Object.keys(result), ['alert_kind', 'label', 'ok', 'output'])
    t.match(result, { alert_kind, label, ok: true })
    t.strictSame(JSON.parse(result.output), { s: fields.subject, e: fields.error })
  }
  const once = await preview('{"k": "\\{{ kind }}"}')
  t.strictSame(once.passed, false)
  t.strictSame(
    once.results.map((result: { ok: boolean }) => result.ok),
    [false, true, true],
    'it breaks for one message only',
  )
  t.strictSame(Object.keys(once.results[0]), ['alert_kind', 'label', 'ok', 'error'])
  t.equal(await world.dump(), before)
})

const badTemplates: [title: string, template: string, details: RegExp][] = [
  ['an unknown field', 'a {{ nothing }}', /^Problems and reminders: Unknown field "nothing" at line 1, column 3/],
  ['a field in another case', '{{ Subject }}', /Unknown field "Subject"/],
  ['an inherited name', '{{ constructor }}', /Unknown field "constructor"/],
  ['an empty field', 'x\n {{}}', /Unknown field "" at line 2, column 2/],
  ['three braces', '{{{ subject }}}', /Unknown field/],
  ['unclosed braces', '{"a": "{{ subject"}', /^Problems and reminders: The braces opened at line 1, column 8 are not closed/],
  ['braces closed by one', '{{ subject }', /are not closed/],
  ['broken JSON', '{"a": {{ subject }}}', /^Problems and reminders: The result is not valid JSON/],
  ['JSON that breaks for one message', '{"k": "\\{{ kind }}"}', /^Problems and reminders: The result is not valid JSON/],
  ['JSON that breaks for the last message', '{"k": {{ error }}}', /not valid JSON/],
  ['JSON with more behind it', '{} {{ error }}', /not valid JSON/],
]
refuses([
  ...badTemplates.flatMap(([title, template, details]) => [
    {
      title: `storing a template with ${title}`,
      send: () => post(transformations + inHome, { name: 'New', template }),
      code: 2001,
      message: 'Template does not render every message',
      details,
    },
    {
      title: `replacing one by a template with ${title}`,
      send: () => post(`${transformations}/${things.transformation}${inHome}`, { name: 'Taken', template }),
      code: 2001,
      message: 'Template does not render every message',
      details,
    },
  ]),
  ...['', `?workspace_id=${home}`].flatMap(query =>
    [transformations, `${transformations}/preview`].flatMap(path =>
      [`${'é'.repeat(8 * 1024)}x`, ''].map(template => ({
        title: `a template of ${Buffer.byteLength(template)} bytes to ${path}${query}`,
        send: () => post(path + query, path === transformations ? { name: 'New', template } : { template }),
        code: 2001,
        message: 'Invalid template',
      })),
    ),
  ),
  {
    title: 'a transformation without a name',
    send: () => post(transformations, { template: 'x' }),
    code: 2001,
    message: 'Validation failed',
    details: "Field 'name' is required",
  },
  {
    title: 'a transformation without a template',
    send: () => post(transformations, { name: 'x' }),
    code: 2001,
    message: 'Validation failed',
    details: "Field 'template' is required",
  },
  {
    title: 'a preview without a template',
    send: () => post(`${transformations}/preview`, {}),
    code: 2001,
    message: 'Validation failed',
  },
  ...['', ' ', 'x'.repeat(101)].map(name => ({
    title: `a transformation named '${name.slice(0, 3)}'`,
    send: () => post(transformations, { name, template: 'x' }),
    code: 2001,
    message: 'Invalid name',
  })),
  {
    title: 'a transformation name taken in another case',
    send: () => post(transformations, { name: 'tAKEN', template: 'x' }),
    code: 2001,
    message: 'Transformation name taken',
  },
  ...[{ name: 5 }, { template: {} }, { content_type: 'text/plain' }, { kind: 'x' }].map(change => ({
    title: `a transformation with ${JSON.stringify(change)}`,
    send: () => post(transformations, { name: 'New', template: 'x', ...change }),
    code: 2006,
    message: 'Invalid JSON',
  })),
  {
    title: 'a preview with a name',
    send: () => post(`${transformations}/preview`, { name: 'x', template: 'x' }),
    code: 2006,
    message: 'Invalid JSON',
  },
  ...['0', 'x', '999999', 'preview'].flatMap(id =>
    ['GET', 'POST', 'DELETE'].flatMap(method =>
      method === 'POST' && id === 'preview'
        ? []
        : [
            {
              title: `${method} of transformation ${id}`,
              send: () =>
                world.call(method, `${transformations}/${id}`, { token: owner, ...(method === 'POST' ? { body: {} } : {}) }),
              code: 2002,
              message: 'Transformation not found',
            },
          ],
    ),
  ),
  {
    title: 'a transformation of another workspace',
    send: () => remove(`${transformations}/${things.foreignTransformation}`),
    code: 2002,
    message: 'Transformation not found',
  },
])

documentsNameEveryRefusal()
