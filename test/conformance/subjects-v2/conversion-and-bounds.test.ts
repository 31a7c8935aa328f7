// Custom subjects of generation 2: conversion of websites, deletion, bounds and concurrent requests (reference/custom-subjects). Tested on
// the real keeper in virtual time.
import t from 'tap'
import { createDirectoryClient, createKeeperClient } from '#shared/bus/clients/clients.ts'
import { subjects as bus } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import { resultOf } from '../../support/clients/answers.ts'
import type { Answer } from '../../support/worlds/api-world.ts'
import { countPushed } from '../../support/worlds/pushed-rows.ts'
import {
  anyOf,
  at,
  both,
  documentsNameEveryRefusal,
  editor,
  get,
  home,
  incidents,
  iso,
  made,
  minute,
  other,
  owner,
  post,
  raw,
  refuses,
  remove,
  report,
  rule,
  second,
  signal,
  statusOf,
  stranger,
  subjects,
  viewer,
  watched,
  website,
  world,
} from '../../support/worlds/subjects-v2-world.ts'

t.test('converted website is served only by the routes of custom subjects', async t => {
  const { id, slug } = await website('Converted shop')
  const keeper = createKeeperClient(world.bus, world.clock)
  await keeper.send(id, {
    kind: 'create-signal',
    id: 'convert',
    name: 'Orders',
    signalKind: 'custom_event',
    meta: '{}',
    convert: true,
  })

  t.test('converted website lists its platform signal and its built-in rule before all others', async t => {
    t.match(resultOf(await get(at(slug))), { id: slug, subject_kind: 'custom', signal_count: 2, rule_count: 1 })
    t.strictSame(resultOf(await get(at(slug, 'signals'))), [
      {
        id: slug,
        name: 'Converted shop',
        signal_kind: 'platform_http',
        subject_id: slug,
        workspace_id: home,
        meta: {},
        kind: 'signal',
      },
      {
        id: 'orders',
        name: 'Orders',
        signal_kind: 'custom_event',
        subject_id: slug,
        workspace_id: home,
        meta: {},
        kind: 'signal',
      },
    ])
    t.strictSame(resultOf(await get(at(slug, 'rules', 'reachability'))), {
      id: 'reachability',
      name: 'Reachability',
      subject_id: slug,
      workspace_id: home,
      policy_version: 1,
      document: {
        inputs: ['de', 'fr'].map(location => ({ signal: slug, mode: 'status', match: { location } })),
        decision: { state: 'down', need: 'majority' },
        wait: { confirm_after: '2m0s', close_after: '2m0s' },
      },
      kind: 'subject_rule',
    })
    t.ok(resultOf(await get(`${subjects}?workspace_id=${home}`)).some((subject: { id: string }) => subject.id === slug))
  })

  t.test('converted website is absent from the website routes', async t => {
    const answer = await get(`/api/v2/monitoring/websites/${id}`)
    t.match(answer.json.error, { code: 2004, message: 'Custom subjects are managed elsewhere' })
    t.match(answer.json.error.details, `/v2/subjects/${slug}`)
    const listed = resultOf(await get(`/api/v2/monitoring/websites?workspace_id=${home}`))
    t.notOk(listed.some((monitor: { id: string }) => monitor.id === id))
  })

  t.test('converted website accepts rules over its locations by their names', async t => {
    const document = anyOf(statusOf(slug, { match: { location: 'fr' } }))
    const created = resultOf(await post(at(slug, 'rules'), { name: 'France', document }))
    t.strictSame(created.document.inputs, document.inputs)
    await world.report(id, 'aaaa', false)
    await world.report(id, 'bbbb', true)
    t.notOk((await incidents(slug)).some((incident: { rule_id: string }) => incident.rule_id === 'france'))
    await world.clock.advance(minute)
    await world.report(id, 'bbbb', false)
    t.ok((await incidents(slug)).some((incident: { rule_id: string }) => incident.rule_id === 'france'))
    t.ok((await incidents(slug)).some((incident: { rule_id: string }) => incident.rule_id === 'reachability'))
  })

  t.test('rule of a converted website accepts location names that repeat or have surrounding blanks', async t => {
    const places = ['fr ', 'de', ' fr'].map(location => statusOf(slug, { match: { location } }))
    const created = resultOf(await post(at(slug, 'rules'), { name: 'Blanks', document: anyOf(...places) }))
    t.strictSame(
      created.document.inputs.map(({ match }: { match: { location: string } }) => match.location),
      ['fr', 'de', 'fr'],
    )
    resultOf(await remove(at(slug, 'rules', 'blanks')))
  })

  refuses(
    [
      {
        title: 'a location that does not exist',
        send: () => post(at(slug, 'rules'), { name: 'X', document: anyOf(statusOf(slug, { match: { location: 'xx' } })) }),
        code: 2001,
        message: 'Invalid rule document',
        details: 'inputs[0].match.location names no location',
      },
      {
        title: 'an update of the platform signal',
        send: () => post(at(slug, 'signals', slug), { name: 'X' }),
        code: 2003,
        message: 'Signal is managed by Website monitoring',
      },
      {
        title: 'an observation on the platform signal',
        send: () => report(slug, slug, { status: 'ok' }),
        code: 2003,
        message: 'Signal does not accept posted observations',
      },
      {
        title: 'an update of the built-in rule',
        send: () => post(at(slug, 'rules', 'reachability'), { name: 'X', document: anyOf(statusOf(slug)) }),
        code: 2003,
        message: 'Rule is managed by Website monitoring',
      },
      {
        title: 'a delete of the built-in rule',
        send: () => remove(at(slug, 'rules', 'reachability')),
        code: 2003,
        message: 'Rule is managed by Website monitoring',
      },
      {
        title: 'a delete of the platform signal, which the built-in rule reads,',
        send: () => remove(at(slug, 'signals', slug)),
        code: 2003,
        message: 'Signal is still used by a rule',
        details: /reachability/,
      },
      {
        title: 'a signal of the slug of the platform signal',
        send: () => post(at(slug, 'signals'), { name: 'converted shop', kind: 'event' }),
        code: 2001,
        message: 'Signal name taken',
      },
      {
        title: 'a rule of the slug of the built-in one',
        send: () => post(at(slug, 'rules'), { name: 'REACHABILITY', document: anyOf(statusOf(slug)) }),
        code: 2001,
        message: 'Rule name taken',
      },
    ],
    t,
  )
})

t.test('session API converts websites and deletes custom subjects', async t => {
  const { ask } = createDirectoryClient(world.bus, world.clock)
  const cookieOf = async (username: string, role: 'editor' | 'viewer' | null): Promise<string> => {
    const password = `${username} and a long password`
    await ask('create-user', { id: `user-${username}`, username, displayName: '', password, admin: false })
    if (role) await ask('add-member', { workspaceId: home, username, role })
    const answer = await world.call('POST', '/session/sign-in', { body: { username, password }, headers: sameOrigin })
    return answer.headers.get('set-cookie')?.split(';')[0] ?? ''
  }
  const sameOrigin = { 'sec-fetch-site': 'same-origin' }
  const cookies = {
    editor: await cookieOf('dash-editor', 'editor'),
    viewer: await cookieOf('dash-viewer', 'viewer'),
    stranger: await cookieOf('dash-stranger', null),
  }
  const send = (method: string, path: string, body?: unknown, who: keyof typeof cookies = 'editor') =>
    world.call(method, `/session/subjects/${path}`, { body, headers: { ...sameOrigin, cookie: cookies[who] } })
  const document = (slug: string) => ({ name: 'Mine', document: anyOf(statusOf(slug)) })

  t.test('website becomes custom when its first signal is created', async t => {
    const { id, slug } = await website('Becomes by signal')
    const answer = await send('POST', `${id}/signals`, { name: 'Orders', kind: 'event', meta: { a: 1 } })
    t.equal(answer.status, 201, answer.text)
    t.match(answer.json, { id: 'orders', signal_kind: 'custom_event', subject_id: slug, meta: { a: 1 } })
    t.match(resultOf(await get(at(slug))), { signal_count: 2, rule_count: 1 })
    t.match((await get(`/api/v2/monitoring/websites/${id}`)).json.error, {
      code: 2004,
      message: 'Custom subjects are managed elsewhere',
    })
  })

  t.test('website becomes custom when its first authored rule is created', async t => {
    const { id, slug } = await website('Becomes by rule')
    const answer = await send('POST', `${id}/rules`, document(slug))
    t.equal(answer.status, 201, answer.text)
    t.match(answer.json, { id: 'mine', policy_version: 1, subject_id: slug })
    t.match(resultOf(await get(at(slug))), { signal_count: 1, rule_count: 2 })
  })

  t.test('deleted subject loses its history and frees its slug', async t => {
    const { subject, slug } = await watched()
    resultOf(await report(subject, slug, { status: 'problem' }))
    const [{ id: subjectId } = { id: '' }] = await world.store.find('subjects', {
      where: { slug: subject, deletedAt: null },
      limit: 1,
    })
    const answer = await send('DELETE', subjectId)
    t.equal(answer.status, 204)
    t.match((await get(at(subject))).json.error, { code: 2002, message: 'Subject not found' })
    t.match((await report(subject, slug, { status: 'ok' })).json.error, { code: 2002, message: 'Subject not found' })
    await world.clock.advance(5 * second)
    t.equal(await countPushed(world.store, subjectId), 0)
    for (const collection of ['series', 'policies', 'incidents', 'history', 'windows', 'alerts'] as const) {
      t.equal(await world.store.count(collection, { subjectId }), 0, collection)
    }
    t.equal((await send('DELETE', subjectId)).status, 404)
    await world.clock.advance(2 * minute)
    t.equal(await made(subject.replace('-', ' ')), subject)
  })

  t.test('session API refuses requests without the right, on unknown subjects, or with invalid fields', async t => {
    const { id, slug } = await website('Stays a website')
    const cases: [title: string, answer: Promise<Answer>, status: number][] = [
      ['a viewer makes a signal', send('POST', `${id}/signals`, { name: 'X', kind: 'event' }, 'viewer'), 403],
      ['a viewer makes a rule', send('POST', `${id}/rules`, document(slug), 'viewer'), 403],
      ['a viewer deletes', send('DELETE', id, undefined, 'viewer'), 403],
      ['a stranger makes a signal', send('POST', `${id}/signals`, { name: 'X', kind: 'event' }, 'stranger'), 404],
      ['a subject that does not exist', send('DELETE', 'nothing000'), 404],
      ['an id that is none', send('DELETE', '%20'), 404],
      ['a website is deleted', send('DELETE', id), 409],
      ['a signal without kind', send('POST', `${id}/signals`, { name: 'X' }), 422],
      ['a rule over nothing', send('POST', `${id}/rules`, { name: 'X', document: anyOf(statusOf('none')) }), 422],
      ['an unknown field', send('POST', `${id}/signals`, { name: 'X', kind: 'event', more: 1 }), 400],
    ]
    for (const [title, answer, status] of cases) t.equal((await answer).status, status, title)
    t.match(resultOf(await get(`/api/v2/monitoring/websites/${id}`)), { id }, 'and it is a website still')
  })
})

t.test('concurrent requests cannot exceed the bounds of custom subjects', async t => {
  t.test('`match` at its limits and slug of 64 characters outside Unicode’s basic plane are accepted', async t => {
    const name = '𝔵'.repeat(64)
    const subject = await made(name)
    t.equal(subject, name)
    t.equal(await made(name), `${name}-2`)
    t.equal(resultOf(await get(at(`${name}-2`))).id, `${name}-2`, 'also with a suffix')
    const slug = await signal(subject, name, 'event')
    const match = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`${i}${'🙂'.repeat(63)}`, '🙂'.repeat(256)]))
    const ruleSlug = await rule(subject, anyOf(statusOf(slug, { match })))
    t.strictSame(resultOf(await get(at(subject, 'rules', ruleSlug))).document.inputs[0].match, match)
    t.equal(resultOf(await report(subject, slug, { status: 'problem', labels: match })).accepted, true)
    t.match(await incidents(subject), [{ status: 'pending' }])
  })

  t.test('`meta` and request bodies at their size limits are accepted', async t => {
    const subject = await made()
    const create = (text: string) => raw(at(subject, 'signals'), text)
    const pad = 'x'.repeat(limits.subject.metaBytes - '{"pad":""}'.length)
    t.equal(resultOf(await create(JSON.stringify({ name: 'Meta', kind: 'event', meta: { pad } }))).meta.pad, pad)
    const wide = JSON.stringify({ name: 'Wide', kind: 'event', meta: { pad: pad.replace('xx', 'xя') } })
    t.match((await create(wide)).json.error, { message: 'Invalid meta' }, 'bytes are counted, not characters')
    const levels = limits.http.jsonDepth - 2
    resultOf(await create(`{"name":"Deep","kind":"event","meta":{"x":${'['.repeat(levels)}${']'.repeat(levels)}}}`))
    const body = '{"name":"Long","kind":"event"}'
    resultOf(await create(body.padEnd(limits.http.bodyBytes)))
    t.match((await create(body.padEnd(limits.http.bodyBytes + 1))).json.error, { code: 2006 })
  })

  t.test('body is read as JSON in UTF-8 with or without a content type', async t => {
    const subject = await made()
    const slug = await signal(subject, 'Beat', 'event')
    const path = at(subject, 'signals', slug, 'observations')
    const send = (headers: Record<string, string>, body: string | Uint8Array = '{"status":"ok"}') =>
      world.call('POST', path, { token: owner, raw: typeof body === 'string' ? new TextEncoder().encode(body) : body, headers })
    resultOf(await send({}))
    const types = [
      '',
      'application/json',
      'Application/JSON; charset=utf-8',
      'application/json ;x=1',
      'application/cloudevents+json',
    ]
    for (const type of types) resultOf(await send({ 'content-type': type }))
    resultOf(await send({ 'content-encoding': 'Identity' }))
    resultOf(await send({}, '{"status":"ok","error":"\\"[{","labels":{"[":"}"}}'))
    t.match((await send({}, ' \n')).json.error, { code: 2001, message: 'invalid status' }, 'blanks are no body')
    const type = ['Unsupported content type', 'The Content-Type must be application/json']
    const refusals: [message: string | undefined, details: string | undefined, answer: Promise<Answer>][] = [
      ...['text/json', 'application/jsonp', 'application/json,text/plain', 'x+json'].map(
        sent => [type[0], type[1], send({ 'content-type': sent })] as [string, string, Promise<Answer>],
      ),
      ['Unsupported encoding', 'The body must be sent without a content encoding', send({ 'content-encoding': 'gzip' })],
      ['Invalid JSON', 'The body is not UTF-8', send({}, new Uint8Array([0x22, 0xff, 0x22]))],
      ['Request too large', 'A request body has at most 1048576 bytes', send({}, ' '.repeat(limits.http.bodyBytes + 1))],
    ]
    for (const [message, details, answer] of refusals) t.match((await answer).json.error, { code: 2006, message, details })
  })

  t.test('rule document with 64 inputs is accepted, and a document above the size limit is refused', async t => {
    const subject = await made()
    const slug = await signal(subject, 'Many', 'event')
    const inputs = Array.from({ length: 64 }, (_, i) => statusOf(slug, { match: { n: `${i}` } }))
    t.equal(resultOf(await post(at(subject, 'rules'), { name: 'Wide', document: anyOf(...inputs) })).document.inputs.length, 64)
    const large = inputs.map((input, i) => ({ ...input, match: { n: `${i}`, pad: 'x'.repeat(256), more: 'y'.repeat(256) } }))
    t.match((await post(at(subject, 'rules'), { name: 'Large', document: anyOf(...large) })).json.error, {
      message: 'Invalid rule document',
      details: 'document is larger than 32768 bytes',
    })
  })

  t.test('subject refuses a further signal or rule that would make its response too large, and stays readable', async t => {
    const subject = await made()
    const meta = { pad: 'я'.repeat(8_000) }
    let taken = 0
    let refusal: { code: number; message: string } | null = null
    while (refusal === null && taken < limits.subject.signals) {
      const answer = await post(at(subject, 'signals'), { name: `Fat ${taken}`, kind: 'event', meta })
      refusal = answer.json.error
      if (refusal === null) taken++
    }
    t.match(refusal, { code: 2004, message: 'Subject too large' })
    t.equal(resultOf(await get(at(subject, 'signals'))).length, taken)
    t.ok(taken * 16_000 < limits.subject.viewBytes, 'counted in bytes, not in characters')
    const room = resultOf(await post(at(subject, 'signals'), { name: 'Slim', kind: 'event' })).id
    const grown = await post(at(subject, 'signals', room), { name: 'Slim', meta })
    t.match(grown.json.error, { code: 2004, message: 'Subject too large' })
    t.strictSame(resultOf(await get(at(subject, 'signals', room))).meta, {})
  })

  t.test('subject has at most 100 signals and 100 rules', async t => {
    const subject = await made()
    for (let i = 0; i < limits.subject.signals; i++) await signal(subject, `S ${i}`, 'event')
    t.match((await post(at(subject, 'signals'), { name: 'One more', kind: 'event' })).json.error, {
      code: 2004,
      message: 'Too many signals',
    })
    for (let i = 0; i < limits.subject.rules; i++) await rule(subject, anyOf(statusOf('s-0')), `R ${i}`)
    const document = anyOf(statusOf('s-0'))
    t.match((await post(at(subject, 'rules'), { name: 'One more', document })).json.error, {
      code: 2004,
      message: 'Too many rules',
    })
  })

  t.test('one of two concurrent creations of one signal or rule is refused', async t => {
    const subject = await made()
    const signals = await Promise.all([1, 2].map(() => post(at(subject, 'signals'), { name: 'Same', kind: 'event' })))
    t.strictSame(signals.map(answer => answer.json.error?.message ?? 'made').sort(), ['Signal name taken', 'made'])
    const document = anyOf(statusOf('same'))
    const rules = await Promise.all([1, 2].map(() => post(at(subject, 'rules'), { name: 'Same', document })))
    t.strictSame(rules.map(answer => answer.json.error?.message ?? 'made').sort(), ['Rule name taken', 'made'])
  })

  t.test('one request is refused when a signal is deleted while a rule that cites the signal is created', async t => {
    for (let i = 0; i < 5; i++) {
      const subject = await made()
      const slug = await signal(subject, 'Raced', 'event')
      const [deleted, cited] = await Promise.all([
        remove(at(subject, 'signals', slug)),
        post(at(subject, 'rules'), { name: 'Cites', document: anyOf(statusOf(slug)) }),
      ])
      const refused = [deleted, cited].filter(answer => answer.json.error !== null)
      t.equal(refused.length, 1, JSON.stringify(refused.map(answer => answer.json.error)))
    }
  })

  t.test('concurrent reports of the same observation leave one row', async t => {
    const subject = await made()
    const slug = await signal(subject, 'Beat', 'event')
    const before = await world.store.count('pushedObservations', {})
    const observed_at = iso(world.clock.now())
    const answers = await Promise.all(['ok', 'problem'].map(status => report(subject, slug, { status, observed_at })))
    t.ok(answers.every(answer => answer.json.result.accepted))
    t.equal(await world.store.count('pushedObservations', {}), before + 1)
  })
})

t.test('second report of a sender is checked as strictly as the first report', async t => {
  const refused = ({ json }: Answer) => [json.error?.code, json.error?.message]
  /** Creates a subject with one signal on which `sender` has reported, so that the gateway remembers the signal's address. */
  const reportedOn = async (sender = editor) => {
    const subject = await made()
    const slug = await signal(subject, 'Job', 'event')
    resultOf(await report(subject, slug, { status: 'ok' }, sender))
    return { subject, slug }
  }
  const idOf = async (slug: string) =>
    (await world.store.find('subjects', { where: { slug, deletedAt: null }, limit: 1 }))[0]?.id ?? ''

  t.test('next report of a known sender needs no request to the directory', async t => {
    const { subject, slug } = await reportedOn()
    let asked = 0
    const listening = await world.bus.subscribe(bus.ask('find-subjects'), () => asked++)
    resultOf(await report(subject, slug, { status: 'problem' }, editor))
    t.equal(asked, 0)
    t.match(await report(subject, 'none', { status: 'ok' }, editor), { json: { error: { message: 'Signal not found' } } })
    t.equal(asked, 1, 'what is not remembered is looked up')
    await listening.close()
  })

  t.test('viewer is refused for their role before the body is read', async t => {
    const { subject, slug } = await reportedOn()
    t.equal((await report(subject, slug, {}, viewer)).json.error.code, 2005)
    t.strictSame(refused(await report(subject, slug, {}, editor)), [2001, 'invalid status'])
    t.equal((await raw(at(subject, 'signals', slug, 'observations'), '{')).json.error.code, 2006)
    resultOf(await report(subject, slug, { status: 'ok' }, editor))
  })

  t.test('stranger cannot see whether the subject exists', async t => {
    const { subject, slug } = await reportedOn()
    t.strictSame(refused(await report(subject, slug, { status: 'ok' }, stranger)), [2002, 'Subject not found'])
    const path = `${at(subject, 'signals', slug, 'observations')}?workspace_id=${home}`
    t.equal((await post(path, { status: 'ok' }, stranger)).json.error.code, 2005)
  })

  t.test('report on a removed signal gets `Signal not found` for any caller and any body', async t => {
    const { subject, slug } = await reportedOn()
    resultOf(await remove(at(subject, 'signals', slug), editor))
    const answers = [
      await report(subject, slug, {}, viewer),
      await report(subject, slug, { status: 'strange' }, editor),
      await report(subject, slug, { status: 'ok' }, editor),
      await report(subject, slug, { status: 'ok' }, editor),
    ]
    for (const answer of answers) t.strictSame(refused(answer), [2002, 'Signal not found'])
  })

  t.test('removed subject is not found, and a new subject with its slug accepts reports', async t => {
    const { subject, slug } = await reportedOn()
    const keeper = createKeeperClient(world.bus, world.clock)
    await keeper.send(await idOf(subject), { kind: 'delete-subject', id: 'delete-known' })
    t.strictSame(refused(await report(subject, slug, { status: 'ok' }, editor)), [2002, 'Subject not found'])
    await world.clock.advance(2 * second)
    const next = 'nextOfSlug'
    await keeper.send(next, { kind: 'create-subject', id: 'create-next', workspaceId: home, slug: subject, name: subject })
    await signal(subject, 'Job', 'event')
    resultOf(await report(subject, slug, { status: 'ok' }, editor))
    t.equal(await countPushed(world.store, next), 1)
  })

  t.test('ambiguous slug is refused, and a named workspace selects its own subject', async t => {
    const { subject, slug } = await reportedOn(both)
    t.equal(await made(subject, other, both), subject)
    t.equal((await report(subject, slug, { status: 'ok' }, both)).json.error.message, 'Ambiguous subject')
    const inWorkspace = (id: string) => `${at(subject, 'signals', slug, 'observations')}?workspace_id=${id}`
    resultOf(await post(inWorkspace(home), { status: 'ok' }, both))
    t.strictSame(refused(await post(inWorkspace(other), { status: 'ok' }, both)), [2002, 'Signal not found'])
  })
})

documentsNameEveryRefusal()
