// Custom subjects of generation 2 and their signals (reference/custom-subjects). Tested on the real keeper in virtual time.
import t, { type Test } from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { resultOf } from '../../support/clients/answers.ts'
import { countPushed } from '../../support/worlds/pushed-rows.ts'
import {
  anyOf,
  at,
  both,
  documentsNameEveryRefusal,
  editor,
  foreign,
  get,
  home,
  incidents,
  made,
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

t.test('subject', async t => {
  t.test('created subject is empty and has exactly the documented fields', async t => {
    const created = resultOf(await post(subjects, { workspace_id: home, name: 'Nightly Backup', subject_kind: 'custom' }, editor))
    t.strictSame(created, {
      id: 'nightly-backup',
      name: 'Nightly Backup',
      subject_kind: 'custom',
      workspace_id: home,
      signal_count: 0,
      rule_count: 0,
      kind: 'subject',
    })
    t.strictSame(resultOf(await get(at('nightly-backup'), viewer)), created)
    t.strictSame(
      resultOf(await get(`${subjects}?workspace_id=${home}`, viewer)).find(({ id }: { id: string }) => id === created.id),
      created,
    )
  })

  t.test('subject shows the numbers of its signals and rules, in its own response and in the list', async t => {
    const { subject } = await watched()
    const read = resultOf(await get(at(subject)))
    t.match(read, { signal_count: 1, rule_count: 1 })
    t.strictSame(
      resultOf(await get(`${subjects}?workspace_id=${home}`)).find(({ id }: { id: string }) => id === subject),
      read,
    )
  })

  t.test('equal names get slugs with a numeric suffix across websites and custom subjects', async t => {
    t.equal(await made('Twin'), 'twin')
    t.equal(await made('twin!'), 'twin-2')
    await website('TWIN')
    t.equal(await made('Twin'), 'twin-4')
    t.equal(await made('Twin', other, both), 'twin', 'another workspace has names of its own')
  })

  t.test('slug has lower-case letters and digits of any script, cut to 64 characters before its suffix', async t => {
    t.equal(await made('  Größe – ДОМ 東京 ２ '), 'größe-дом-東京-２')
    t.equal(await made('Cafe\u0301 bar'), 'café-bar', 'composed')
    t.equal(await made('x'.repeat(100)), 'x'.repeat(64))
    t.equal(await made('x'.repeat(70)), `${'x'.repeat(64)}-2`)
    t.equal(resultOf(await get(at('größe-дом-東京-２'))).id, 'größe-дом-東京-２', 'percent-encoded in a path')
  })

  t.test('eight concurrent creations of one name get eight slugs', async t => {
    const slugs = await Promise.all(Array.from({ length: 8 }, () => made('Crowd')))
    t.strictSame(slugs.sort(), ['crowd', ...[2, 3, 4, 5, 6, 7, 8].map(n => `crowd-${n}`)])
  })

  t.test('subject_kind null counts as absent, and the field `kind`, which only the server sets, is ignored', async t => {
    t.equal(
      resultOf(await post(subjects, { workspace_id: home, name: 'Nulls', subject_kind: null, kind: 'subject' })).id,
      'nulls',
    )
  })

  t.test('list of more than one page has only custom subjects, ordered by creation', async t => {
    for (let i = 0; i < limits.request.pageReads + 5; i++) {
      await world.clock.advance(1)
      await made(`Many ${i}`, other, both)
    }
    await website('Not custom', other)
    const listed = resultOf(await get(`${subjects}?workspace_id=${other}`, both))
    t.ok(listed.length > limits.request.pageReads)
    t.ok(listed.every((subject: { subject_kind: string; workspace_id: string }) => subject.workspace_id === other))
    t.notOk(listed.some((subject: { name: string }) => subject.name === 'Not custom'))
    t.equal(listed.at(-1).name, `Many ${limits.request.pageReads + 4}`)
  })
})

refuses([
  {
    title: 'a list without workspace_id',
    send: () => get(subjects),
    code: 2004,
    message: 'Missing workspace ID',
  },
  {
    title: 'a list with an empty workspace_id',
    send: () => get(`${subjects}?workspace_id=`),
    code: 2004,
    message: 'Missing workspace ID',
  },
  {
    title: 'a list of a workspace that the caller is no member of',
    send: () => get(`${subjects}?workspace_id=${foreign}`),
    code: 2005,
    message: 'Access denied',
  },
  {
    title: 'a list of a workspace that does not exist',
    send: () => get(`${subjects}?workspace_id=nowhere`),
    code: 2005,
    message: 'Access denied',
  },
  {
    title: 'a create by a viewer',
    send: () => post(subjects, { workspace_id: home, name: 'X' }, viewer),
    code: 2005,
    message: 'Access denied',
  },
  {
    title: 'a create by a non-member',
    send: () => post(subjects, { workspace_id: home, name: 'X' }, stranger),
    code: 2005,
    message: 'Access denied',
  },
  {
    title: 'a create by a viewer with unknown fields, role before JSON,',
    send: () => post(subjects, { workspace_id: home, color: 1 }, viewer),
    code: 2005,
  },
  {
    title: 'a create without workspace_id',
    send: () => post(subjects, { name: 'X' }),
    code: 2001,
    message: 'Validation failed',
    details: "Field 'workspace_id' is required",
  },
  {
    title: 'a create without name',
    send: () => post(subjects, { workspace_id: home }),
    code: 2001,
    message: 'Validation failed',
    details: "Field 'name' is required",
  },
  {
    title: 'a create with name null',
    send: () => post(subjects, { workspace_id: home, name: null }),
    code: 2001,
    message: 'Validation failed',
    details: "Field 'name' is required",
  },
  {
    title: 'a create with an empty name',
    send: () => post(subjects, { workspace_id: home, name: '' }),
    code: 2001,
    message: 'Invalid name',
    details: 'A name needs at least one letter or digit',
  },
  {
    title: 'a name without letter or digit',
    send: () => post(subjects, { workspace_id: home, name: ' –!🙂 ' }),
    code: 2001,
    message: 'Invalid name',
  },
  {
    title: 'a name of 101 characters',
    send: () => post(subjects, { workspace_id: home, name: 'x'.repeat(101) }),
    code: 2001,
    message: 'Invalid name',
    details: 'A name has at most 100 characters',
  },
  {
    title: 'a name of another type',
    send: () => post(subjects, { workspace_id: home, name: 7 }),
    code: 2006,
    message: 'Invalid JSON',
    details: "Field 'name' has the wrong type",
  },
  {
    title: 'an unknown field',
    send: () => post(subjects, { workspace_id: home, name: 'X', color: 'red' }),
    code: 2006,
    message: 'Invalid JSON',
    details: "Unknown field 'color'",
  },
  {
    title: 'signal_count sent back',
    send: () => post(subjects, { workspace_id: home, name: 'X', signal_count: 0 }),
    code: 2006,
    message: 'Invalid JSON',
  },
  {
    title: 'subject_kind website',
    send: () => post(subjects, { workspace_id: home, name: 'X', subject_kind: 'website' }),
    code: 2004,
    message: 'Website subjects are created elsewhere',
  },
  {
    title: 'another subject_kind',
    send: () => post(subjects, { workspace_id: home, name: 'X', subject_kind: 'robot' }),
    code: 2001,
    message: 'Validation failed',
    details: "Field 'subject_kind' must be custom",
  },
  {
    title: 'a body that is no JSON',
    send: () => raw(subjects, '{"name":'),
    code: 2006,
    message: 'Invalid JSON',
    details: 'The body is not valid JSON',
  },
  {
    title: 'a body that is no object',
    send: () => raw(subjects, '[]'),
    code: 2006,
    message: 'Invalid JSON',
    details: 'The body must be a JSON object',
  },
  {
    title: 'a body that is nested 100,000 levels deep',
    send: () => raw(subjects, `{"x":${'['.repeat(1e5)}${']'.repeat(1e5)}}`),
    code: 2006,
    message: 'Invalid JSON',
    details: 'The body is nested deeper than 64 levels',
  },
  {
    title: 'PUT on a subject',
    send: () => world.call('PUT', at('nightly-backup'), { token: owner, body: {} }),
    code: 2002,
    message: 'Not found',
  },
  { title: 'POST on a subject', send: () => post(at('nightly-backup'), { name: 'New' }), code: 2002, message: 'Not found' },
  { title: 'DELETE of a subject', send: () => remove(at('nightly-backup')), code: 2002, message: 'Not found' },
])

t.test('request finds a subject by slug and workspace', async t => {
  await made('Only here')
  await made('Both places')
  await made('Both places', other, both)
  const { slug } = await website('A website')
  await made('A website', other, both)
  t.test('request without workspace_id finds a slug in all workspaces of the key owner', async t => {
    t.equal(resultOf(await get(at('only-here'), both)).workspace_id, home)
  })
  t.test('workspace_id selects one of two workspaces', async t => {
    for (const workspace of [home, other]) {
      t.equal(resultOf(await get(`${at('both-places')}?workspace_id=${workspace}`, both)).workspace_id, workspace)
    }
  })
  t.test('slug of two workspaces is not ambiguous to a member of only one of them', async t => {
    t.equal(resultOf(await get(at('both-places'), viewer)).workspace_id, home)
  })
  t.test('refusal of an ambiguous slug names 20 workspaces when more than 20 have the slug', async t => {
    const many = Array.from({ length: 21 }, (_, i) => `many${`${i}`.padStart(6, '0')}`)
    const { token } = await world.addPerson('many', Object.fromEntries(many.map(workspace => [workspace, 'owner'])))
    for (const workspace of many.slice(1)) await made('Everywhere', workspace, token)
    const named = async () => (await get(at('everywhere'), token)).json.error.details.split('workspace_id: ')[1]
    t.match(await named(), /^(many\d+, ){19}many\d+$/)
    await made('Everywhere', many[0], token)
    t.match(await named(), /^(many\d+, ){19}many\d+ and others$/)
  })
  t.test('empty workspace_id counts as absent, and the first workspace_id counts when two are sent', async t => {
    t.equal(resultOf(await get(`${at('only-here')}?workspace_id=`, both)).workspace_id, home)
    t.equal(resultOf(await get(`${at('both-places')}?workspace_id=${other}&workspace_id=${home}`, both)).workspace_id, other)
  })
  refuses(
    [
      {
        title: 'the same slug in two workspaces',
        send: () => get(at('both-places'), both),
        code: 2004,
        message: 'Ambiguous subject',
        details: new RegExp(
          `^Several of your workspaces have a subject of this slug; name one with workspace_id: (${home}, ${other}|${other}, ${home})$`,
        ),
      },
      {
        title: 'a slug that is custom in one workspace and a website in another',
        send: () => get(at('a-website'), both),
        code: 2004,
        message: 'Ambiguous subject',
      },
      {
        title: 'an ambiguous slug on a write',
        send: () => post(at('both-places', 'signals'), {}, both),
        code: 2004,
        message: 'Ambiguous subject',
      },
      { title: 'an unknown slug', send: () => get(at('nothing-here')), code: 2002, message: 'Subject not found' },
      {
        title: 'a slug of a workspace that the caller cannot see',
        send: () => get(at('only-here'), stranger),
        code: 2002,
        message: 'Subject not found',
      },
      {
        title: 'an unknown slug on a write by a viewer, object before role,',
        send: () => post(at('nothing-here', 'signals'), {}, viewer),
        code: 2002,
        message: 'Subject not found',
      },
      {
        title: 'workspace_id of a non-member',
        send: () => get(`${at('only-here')}?workspace_id=${foreign}`),
        code: 2005,
        message: 'Access denied',
      },
      {
        title: 'workspace_id of a workspace without the slug',
        send: () => get(`${at('only-here')}?workspace_id=${other}`, both),
        code: 2002,
        message: 'Subject not found',
      },
      {
        title: 'a slug with an encoded slash',
        send: () => get(at('only-here/signals')),
        code: 2002,
        message: 'Subject not found',
      },
      { title: 'a slug in upper case', send: () => get(at('Only-Here')), code: 2002, message: 'Subject not found' },
      { title: 'a slug with a zero byte', send: () => get(`${subjects}/only%00here`), code: 2002, message: 'Subject not found' },
      { title: 'a slug of 5,000 characters', send: () => get(at('x'.repeat(5_000))), code: 2002, message: 'Subject not found' },
      ...(
        [
          ['GET', []],
          ['GET', ['signals']],
          ['POST', ['signals']],
          ['GET', ['signals', slug]],
          ['POST', ['signals', slug]],
          ['DELETE', ['signals', slug]],
          ['POST', ['signals', slug, 'observations']],
          ['GET', ['rules']],
          ['POST', ['rules']],
          ['GET', ['rules', 'reachability']],
          ['POST', ['rules', 'reachability']],
          ['DELETE', ['rules', 'reachability']],
          ['GET', ['incidents']],
          ['POST', ['incidents', 'iabcdefghijklmn', 'acknowledge']],
          ['GET', ['maintenance']],
          ['POST', ['maintenance']],
          ['POST', ['maintenance', 'ends_at']],
          ['DELETE', ['maintenance']],
        ] as [string, string[]][]
      ).map(([method, rest]) => ({
        title: `${method} ${['…', ...rest].join('/')} with a website subject`,
        send: () => world.call(method, at(slug, ...rest), { token: owner }),
        code: 2004,
        message: 'Website subjects are managed elsewhere',
      })),
    ],
    t as Test,
  )
  t.test('missing key is refused before every other fault', async t => {
    t.equal((await get(at('only-here'), null)).json.error.code, 1001)
    t.equal((await get(at('only-here'), 'nonsense')).json.error.code, 1003)
  })
})

t.test('signal', async t => {
  const subject = await made('Signals')
  t.test('created signal has exactly the documented fields in create, read and list', async t => {
    const meta = { kind: 'data', nested: { list: [1, null, true], empty: {} } }
    const created = resultOf(await post(at(subject, 'signals'), { name: 'Disk Space', kind: 'custom_heartbeat', meta }, editor))
    t.strictSame(created, {
      id: 'disk-space',
      name: 'Disk Space',
      signal_kind: 'custom_heartbeat',
      subject_id: subject,
      workspace_id: home,
      meta,
      kind: 'signal',
    })
    t.strictSame(resultOf(await get(at(subject, 'signals', 'disk-space'), viewer)), created)
    t.strictSame(resultOf(await get(at(subject, 'signals'), viewer)), [created])
  })
  for (const [sent, stored] of [
    ['heartbeat', 'custom_heartbeat'],
    ['event', 'custom_event'],
    ['custom_event', 'custom_event'],
  ]) {
    t.test(`creation with kind ${sent} makes a ${stored}`, async t => {
      t.equal(resultOf(await post(at(subject, 'signals'), { name: `Kind ${sent}`, kind: sent })).signal_kind, stored)
    })
  }
  t.test('`meta` is returned unchanged to the last digit, and is empty when absent or null', async t => {
    const text =
      '{"big":12345678901234567890,"tiny":1e-400,"huge":1e400,"one":1.0,"__proto__":{"x":1},"half":"\\ud800","deep":[[[0.10]]]}'
    await raw(at(subject, 'signals'), `{"name":"Exact","kind":"event","meta":${text}}`)
    const answer = await get(at(subject, 'signals', 'exact'))
    t.ok(answer.text.includes(`"meta":${text}`), answer.text)
    t.strictSame(resultOf(await post(at(subject, 'signals'), { name: 'No meta', kind: 'event' })).meta, {})
    t.strictSame(resultOf(await post(at(subject, 'signals'), { name: 'Null meta', kind: 'event', meta: null })).meta, {})
  })
  t.test('signal keeps slug and kind when name and meta are updated', async t => {
    await signal(subject, 'Before', 'event')
    const updated = resultOf(await post(at(subject, 'signals', 'before'), { name: 'After', meta: { a: 1 } }, editor))
    t.match(updated, { id: 'before', name: 'After', signal_kind: 'custom_event', meta: { a: 1 } })
    for (const kind of ['event', 'custom_event', 'signal', null]) {
      const again = resultOf(await post(at(subject, 'signals', 'before'), { name: `After ${typeof kind}`, kind }))
      t.match(again, { id: 'before', name: `After ${typeof kind}`, signal_kind: 'custom_event', meta: {} })
    }
    t.match(resultOf(await get(at(subject, 'signals', 'before'))), { name: 'After object', meta: {} })
  })
  for (const [stored, other] of [
    ['custom_event', ['heartbeat', 'custom_heartbeat']],
    ['custom_heartbeat', ['event', 'custom_event']],
  ] as const) {
    const name = `Fixed ${stored}`
    t.test(`update of a ${stored} is refused and stores nothing when another kind or no known word is sent`, async t => {
      const slug = await signal(subject, name, stored)
      const path = at(subject, 'signals', slug)
      for (const kind of [...other, 'platform_http', 'constructor', 'Event', '', 7, { a: 1 }]) {
        const refusal = {
          code: 2001,
          error_type: 'validation_error',
          message: 'Invalid signal kind',
          details: `kind never changes: this signal is a ${stored}`,
        }
        t.strictSame((await post(path, { name: 'Changed', kind, meta: { a: 1 } })).json.error, refusal)
        t.match((await post(path, { name: '!', kind })).json.error, { message: 'Invalid name' }, 'fields in their order')
        t.match((await post(path, { name: 'Changed', kind, meta: 1 })).json.error, { message: 'Invalid signal kind' })
      }
      t.match(resultOf(await get(path)), { name, signal_kind: stored, meta: {} })
    })
  }
  t.test('signal may be renamed to the name of another signal, because only slugs are unique', async t => {
    const slug = await signal(subject, 'Namesake', 'event')
    t.match(resultOf(await post(at(subject, 'signals', slug), { name: 'Disk Space' })), { id: 'namesake', name: 'Disk Space' })
    t.equal((await post(at(subject, 'signals'), { name: 'Namesake', kind: 'event' })).json.error.message, 'Signal name taken')
  })
  t.test('signals are listed by creation, and renaming does not change the order', async t => {
    const listing = await made()
    for (const name of ['Zeta', 'Alpha', 'Mid']) await signal(listing, name)
    resultOf(await post(at(listing, 'signals', 'mid'), { name: 'A' }))
    const listed: { id: string }[] = resultOf(await get(at(listing, 'signals')))
    t.strictSame(
      listed.map(({ id }) => id),
      ['zeta', 'alpha', 'mid'],
    )
  })
  t.test('deletion returns message, signal_id and subject_id, and removes the observations', async t => {
    const slug = await signal(subject, 'Gone', 'event')
    resultOf(await report(subject, slug, { status: 'ok' }))
    t.strictSame(resultOf(await remove(at(subject, 'signals', slug), editor)), {
      message: 'Signal deleted successfully',
      signal_id: 'gone',
      subject_id: subject,
    })
    await world.clock.advance(2 * second)
    t.equal((await get(at(subject, 'signals', slug))).json.error.message, 'Signal not found')
    t.equal(await world.store.count('pushedObservations', {}), 0)
    t.equal(await signal(subject, 'Gone', 'event'), 'gone', 'its name is free again')
  })
  t.test('recreated signal has no observations of its predecessor', async t => {
    const again = await made()
    await signal(again, 'First')
    await signal(again, 'Job', 'event')
    resultOf(await report(again, 'job', { status: 'problem' }))
    resultOf(await remove(at(again, 'signals', 'job')))
    await signal(again, 'Job', 'event')
    await rule(again, anyOf(statusOf('job')))
    t.strictSame(await incidents(again), [], 'it never reported')
    resultOf(await report(again, 'job', { status: 'problem' }))
    await world.clock.advance(2 * second)
    const [stored] = await world.store.find('subjects', { where: { slug: again }, limit: 1 })
    t.equal(await countPushed(world.store, stored?.id ?? ''), 1, 'what left with the other was not its own')
    const keys = stored?.custom?.signals.map(({ key }) => key)
    t.strictSame(keys, ['s1', 's3'], 'a key is never given twice: rows of the other may take a while to leave')
  })
  t.test('signal without rules opens no incident', async t => {
    const alone = await made()
    const slug = await signal(alone)
    resultOf(await report(alone, slug, { status: 'problem' }))
    t.strictSame(await incidents(alone), [])
  })
  const create = (body: unknown, token?: string) => () => post(at(subject, 'signals'), body, token)
  const update = (body: unknown) => () => post(at(subject, 'signals', 'disk-space'), body)
  refuses(
    [
      { title: 'an unknown signal', send: () => get(at(subject, 'signals', 'none')), code: 2002, message: 'Signal not found' },
      {
        title: 'an update of an unknown signal by a viewer',
        send: () => post(at(subject, 'signals', 'none'), {}, viewer),
        code: 2002,
        message: 'Signal not found',
      },
      {
        title: 'a delete of an unknown signal',
        send: () => remove(at(subject, 'signals', 'none')),
        code: 2002,
        message: 'Signal not found',
      },
      {
        title: 'a signal made by a viewer',
        send: create({ name: 'X', kind: 'event' }, viewer),
        code: 2005,
        message: 'Access denied',
      },
      {
        title: 'a signal updated by a viewer',
        send: () => post(at(subject, 'signals', 'disk-space'), { bad: 1 }, viewer),
        code: 2005,
      },
      { title: 'a signal deleted by a viewer', send: () => remove(at(subject, 'signals', 'disk-space'), viewer), code: 2005 },
      { title: 'a signal without kind', send: create({ name: 'X' }), code: 2001, message: 'Invalid signal kind' },
      { title: 'kind null', send: create({ name: 'X', kind: null }), code: 2001, message: 'Invalid signal kind' },
      {
        title: 'kind platform_http',
        send: create({ name: 'X', kind: 'platform_http' }),
        code: 2001,
        message: 'Invalid signal kind',
      },
      { title: 'kind constructor', send: create({ name: 'X', kind: 'constructor' }), code: 2001, message: 'Invalid signal kind' },
      { title: 'kind of another type', send: create({ name: 'X', kind: 1 }), code: 2006, message: 'Invalid JSON' },
      {
        title: 'a signal without name',
        send: create({ kind: 'event' }),
        code: 2001,
        message: 'Validation failed',
        details: "Field 'name' is required",
      },
      {
        title: 'a signal name without letter or digit',
        send: create({ name: '--', kind: 'event' }),
        code: 2001,
        message: 'Invalid name',
      },
      {
        title: 'a signal whose slug is taken',
        send: create({ name: 'disk space?', kind: 'event' }),
        code: 2001,
        message: 'Signal name taken',
      },
      {
        title: 'meta that is a list',
        send: create({ name: 'X', kind: 'event', meta: [] }),
        code: 2001,
        message: 'Invalid meta',
        details: 'meta must be a JSON object',
      },
      {
        title: 'meta that is a text',
        send: create({ name: 'X', kind: 'event', meta: 'x' }),
        code: 2001,
        message: 'Invalid meta',
      },
      {
        title: 'meta beyond its bound',
        send: create({ name: 'X', kind: 'event', meta: { x: 'y'.repeat(16 * 1024) } }),
        code: 2001,
        message: 'Invalid meta',
        details: 'meta must have at most 16384 bytes as JSON',
      },
      {
        title: 'an unknown field of a signal',
        send: create({ name: 'X', kind: 'event', slug: 'x' }),
        code: 2006,
        message: 'Invalid JSON',
        details: /slug/,
      },
      { title: 'an unknown field of an update', send: update({ name: 'X', slug: 'x' }), code: 2006, message: 'Invalid JSON' },
      { title: 'an update without name', send: update({ meta: {} }), code: 2001, message: 'Validation failed' },
      { title: 'an update with a bad name', send: update({ name: '?' }), code: 2001, message: 'Invalid name' },
      { title: 'an update with bad meta', send: update({ name: 'X', meta: 1 }), code: 2001, message: 'Invalid meta' },
    ],
    t as Test,
  )
})

documentsNameEveryRefusal()
