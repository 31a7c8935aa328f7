// Custom subjects of generation 2 as their clients see them: spec B, and D where it completes B. One case a line, against the real
// keeper in virtual time.
import t, { type Test } from 'tap'
import { createDirectoryClient } from '#shared/bus/ask-directory.ts'
import { createKeeperClient } from '#shared/bus/command-keeper.ts'
import { subjects as bus } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits.ts'
import type { Answer, CallOptions } from '../support/api-world.ts'
import { watchRefusals } from '../support/documented-refusals.ts'
import { countPushed } from '../support/pushed-rows.ts'
import { startWholeWorld, type WholeWorld } from '../support/whole-world.ts'

const subjects = '/api/v2/subjects'
const home = 'home000000'
const other = 'other00000'
const foreign = 'foreign000'
const minute = 60_000
const second = 1_000

let world: WholeWorld
let undocumented: string[]
let owner = ''
let editor = ''
let viewer = ''
let stranger = ''
let both = ''

t.before(async () => {
  const watched = watchRefusals(await startWholeWorld())
  world = watched.front
  undocumented = watched.undocumented
  owner = (await world.addPerson('owner', { [home]: 'owner' }, { displayName: 'Olga Owner' })).token
  editor = (await world.addPerson('editor', { [home]: 'editor' })).token
  viewer = (await world.addPerson('viewer', { [home]: 'viewer' })).token
  stranger = (await world.addPerson('stranger', { [foreign]: 'owner' })).token
  both = (await world.addPerson('both', { [home]: 'owner', [other]: 'editor' })).token
  await world.addLocations(['de', 'fr'])
})
t.teardown(() => world.stop())

const get = (path: string, token: string | null = owner, options: CallOptions = {}) =>
  world.call('GET', path, { token, ...options })
const post = (path: string, body?: unknown, token: string | null = owner) => world.call('POST', path, { token, body })
const remove = (path: string, token: string | null = owner) => world.call('DELETE', path, { token })
const raw = (path: string, text: string) =>
  world.call('POST', path, { token: owner, raw: text, headers: { 'content-type': 'application/json' } })
/** A path with each part percent-encoded. */
const at = (...parts: string[]) => [subjects, ...parts.map(encodeURIComponent)].join('/')
const iso = (ms: number) => new Date(ms).toISOString()

const ok = (answer: Answer) => {
  t.equal(answer.status, 200)
  t.strictSame(Object.keys(answer.json), ['result', 'error', 'meta'])
  t.equal(answer.json.error, null, JSON.stringify(answer.json.error))
  t.equal(answer.json.meta, null)
  return answer.json.result
}

interface Refusal {
  title: string
  send: () => Promise<Answer>
  code: number
  message?: string
  /** In full, or what it has in it; left out: the usual one of its message. */
  details?: RegExp | string
}

/** What a message that has one reason alone says of it. */
const usual: Record<string, string> = {
  'Access denied': 'User does not have access to this workspace',
  'Already in maintenance': 'A maintenance window runs already; move its end or cancel it',
  'Incident not found': 'The incident does not exist or belongs to something else',
  'Invalid signal kind': 'kind must be custom_heartbeat or custom_event',
  'Missing workspace ID': 'workspace_id query parameter is required',
  'No maintenance window': 'No maintenance window is running',
  'Not found': 'There is no such route',
  'Rule is managed by Website monitoring': 'This rule is maintained by Website monitoring',
  'Rule not found': 'Rule does not exist or access denied',
  'Signal does not accept posted observations': 'Website monitoring alone reports on this signal',
  'Signal is managed by Website monitoring': 'This signal is maintained by Website monitoring',
  'Signal not found': 'Signal does not exist or access denied',
  'Subject not found': 'Subject does not exist or access denied',
  'This request takes no body': 'Send the request without a body',
  'Website subjects are created elsewhere': 'A website subject is made with its monitor: POST /v2/monitoring/websites',
  'Website subjects are managed elsewhere': 'This subject is a website monitor; use /v1/rules or /v2/monitoring/websites',
  'invalid status': 'status must be ok or problem',
}

/** A title with a viewer is of a role that is too small. */
const usualOf = ({ title, message = '' }: Refusal) =>
  message === 'Access denied' && title.includes('viewer') ? 'Needs the role editor; yours is viewer.' : usual[message]

/** HTTP 200, the exact error object, and nothing stored. */
const refuses = (cases: Refusal[], within: Test = t) => {
  for (const refusal of cases) {
    const { title, send, code, message, details = usualOf(refusal) } = refusal
    void within.test(`${title} answers ${code}${message === undefined ? '' : ` ${message}`}`, async t => {
      const before = await world.dump()
      const answer = await send()
      t.equal(answer.status, 200)
      t.strictSame(Object.keys(answer.json), ['result', 'error', 'meta'])
      t.equal(answer.json.result, null)
      t.strictSame(Object.keys(answer.json.error ?? {}), ['code', 'error_type', 'message', 'details'])
      t.equal(answer.json.error.code, code, JSON.stringify(answer.json.error))
      const types: Record<number, string> = { 2001: 'validation_error', 2002: 'not_found', 2003: 'forbidden' }
      t.equal(answer.json.error.error_type, types[code] ?? 'internal_error')
      if (message !== undefined) t.equal(answer.json.error.message, message)
      if (typeof details === 'string') t.equal(answer.json.error.details, details)
      if (details instanceof RegExp) t.match(answer.json.error.details, details)
      t.equal(await world.dump(), before, 'a refusal stores nothing')
    })
  }
}

let number = 0
/** A fresh subject; its slug. */
const made = async (name = `Subject ${++number}`, workspace = home, token = owner): Promise<string> =>
  ok(await post(subjects, { workspace_id: workspace, name }, token)).id
const signal = async (subject: string, name = 'Beat', kind = 'heartbeat'): Promise<string> =>
  ok(await post(at(subject, 'signals'), { name, kind })).id
const statusOf = (slug: string, more: Record<string, unknown> = {}) => ({ signal: slug, mode: 'status', ...more })
const anyOf = (...inputs: Record<string, unknown>[]) => ({ inputs, decision: { need: 'any' } })
const rule = async (subject: string, document: unknown, name = 'Trouble'): Promise<string> =>
  ok(await post(at(subject, 'rules'), { name, document })).id
/** The versions of a rule's policy that are stored. */
const keptVersions = async (subject: string, ruleSlug: string): Promise<number[]> => {
  const [{ id: subjectId } = { id: '' }] = await world.store.find('subjects', { where: { slug: subject }, limit: 1 })
  const kept = await world.store.find('policies', { where: { subjectId }, sort: [['version', 'asc']], limit: 100 })
  return kept.filter(policy => policy.ruleSlug === ruleSlug).map(policy => policy.version)
}
const report = (subject: string, slug: string, body: Record<string, unknown>, token = owner) =>
  post(at(subject, 'signals', slug, 'observations'), body, token)
const incidents = async (subject: string) => ok(await get(at(subject, 'incidents')))
/** A subject with one event signal and a rule over its status. */
const watched = async (document: (slug: string) => unknown = slug => anyOf(statusOf(slug)), kind = 'event') => {
  const subject = await made()
  const slug = await signal(subject, 'Job', kind)
  const ruleSlug = await rule(subject, document(slug))
  return { subject, slug, ruleSlug }
}
const website = async (name: string, workspace = home): Promise<{ id: string; slug: string }> => {
  const body = {
    name,
    interval: 60,
    workspace_id: workspace,
    request: { url: 'https://shop.example/', method: 'GET' },
    response: { statuses: [200] },
    locations: ['de', 'fr'],
  }
  const id = ok(await post('/api/v2/monitoring/websites', body, both)).id
  const [document] = await world.store.get('subjects', [id])
  return { id, slug: document?.slug ?? '' }
}

t.test('Subject', async t => {
  t.test('a created subject is empty and has exactly the fields', async t => {
    const created = ok(await post(subjects, { workspace_id: home, name: 'Nightly Backup', subject_kind: 'custom' }, editor))
    t.strictSame(created, {
      id: 'nightly-backup',
      name: 'Nightly Backup',
      subject_kind: 'custom',
      workspace_id: home,
      signal_count: 0,
      rule_count: 0,
      kind: 'subject',
    })
    t.strictSame(ok(await get(at('nightly-backup'), viewer)), created)
    t.strictSame(
      ok(await get(`${subjects}?workspace_id=${home}`, viewer)).find(({ id }: { id: string }) => id === created.id),
      created,
    )
  })

  t.test('counts follow signals and rules, in the subject and in the list', async t => {
    const { subject } = await watched()
    const read = ok(await get(at(subject)))
    t.match(read, { signal_count: 1, rule_count: 1 })
    t.strictSame(
      ok(await get(`${subjects}?workspace_id=${home}`)).find(({ id }: { id: string }) => id === subject),
      read,
    )
  })

  t.test('colliding names get a numeric suffix; websites and custom subjects share the namespace', async t => {
    t.equal(await made('Twin'), 'twin')
    t.equal(await made('twin!'), 'twin-2')
    await website('TWIN')
    t.equal(await made('Twin'), 'twin-4')
    t.equal(await made('Twin', other, both), 'twin', 'another workspace has names of its own')
  })

  t.test('a slug is lower-case letters and digits of any script, cut to 64 characters before the suffix', async t => {
    t.equal(await made('  Größe – ДОМ 東京 ２ '), 'größe-дом-東京-２')
    t.equal(await made('Cafe\u0301 bar'), 'café-bar', 'composed')
    t.equal(await made('x'.repeat(100)), 'x'.repeat(64))
    t.equal(await made('x'.repeat(70)), `${'x'.repeat(64)}-2`)
    t.equal(ok(await get(at('größe-дом-東京-２'))).id, 'größe-дом-東京-２', 'percent-encoded in a path')
  })

  t.test('eight creates of one name at once get eight slugs', async t => {
    const slugs = await Promise.all(Array.from({ length: 8 }, () => made('Crowd')))
    t.strictSame(slugs.sort(), ['crowd', ...[2, 3, 4, 5, 6, 7, 8].map(n => `crowd-${n}`)])
  })

  t.test('subject_kind null equals absent; a kind that the server sets is ignored', async t => {
    t.equal(ok(await post(subjects, { workspace_id: home, name: 'Nulls', subject_kind: null, kind: 'subject' })).id, 'nulls')
  })

  t.test('the list holds custom subjects only, by creation, more than a page reads at once', async t => {
    for (let i = 0; i < limits.request.pageReads + 5; i++) {
      await world.clock.advance(1)
      await made(`Many ${i}`, other, both)
    }
    await website('Not custom', other)
    const listed = ok(await get(`${subjects}?workspace_id=${other}`, both))
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

t.test('Addressing', async t => {
  await made('Only here')
  await made('Both places')
  await made('Both places', other, both)
  const { slug } = await website('A website')
  await made('A website', other, both)
  t.test('without workspace_id the workspaces of the key owner are searched', async t => {
    t.equal(ok(await get(at('only-here'), both)).workspace_id, home)
  })
  t.test('workspace_id picks one of two', async t => {
    for (const workspace of [home, other]) {
      t.equal(ok(await get(`${at('both-places')}?workspace_id=${workspace}`, both)).workspace_id, workspace)
    }
  })
  t.test('whoever is in one of the two workspaces only is not asked which', async t => {
    t.equal(ok(await get(at('both-places'), viewer)).workspace_id, home)
  })
  t.test('of more than 20 workspaces with the slug 20 are named', async t => {
    const many = Array.from({ length: 21 }, (_, i) => `many${`${i}`.padStart(6, '0')}`)
    const { token } = await world.addPerson('many', Object.fromEntries(many.map(workspace => [workspace, 'owner'])))
    for (const workspace of many.slice(1)) await made('Everywhere', workspace, token)
    const named = async () => (await get(at('everywhere'), token)).json.error.details.split('workspace_id: ')[1]
    t.match(await named(), /^(many\d+, ){19}many\d+$/)
    await made('Everywhere', many[0], token)
    t.match(await named(), /^(many\d+, ){19}many\d+ and others$/)
  })
  t.test('an empty workspace_id equals none; of two the first counts', async t => {
    t.equal(ok(await get(`${at('only-here')}?workspace_id=`, both)).workspace_id, home)
    t.equal(ok(await get(`${at('both-places')}?workspace_id=${other}&workspace_id=${home}`, both)).workspace_id, other)
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
  t.test('no key comes before everything', async t => {
    t.equal((await get(at('only-here'), null)).json.error.code, 1001)
    t.equal((await get(at('only-here'), 'nonsense')).json.error.code, 1003)
  })
})

t.test('Signal', async t => {
  const subject = await made('Signals')
  t.test('a created signal has exactly the fields, and comes back the same from read and list', async t => {
    const meta = { kind: 'data', nested: { list: [1, null, true], empty: {} } }
    const created = ok(await post(at(subject, 'signals'), { name: 'Disk Space', kind: 'custom_heartbeat', meta }, editor))
    t.strictSame(created, {
      id: 'disk-space',
      name: 'Disk Space',
      signal_kind: 'custom_heartbeat',
      subject_id: subject,
      workspace_id: home,
      meta,
      kind: 'signal',
    })
    t.strictSame(ok(await get(at(subject, 'signals', 'disk-space'), viewer)), created)
    t.strictSame(ok(await get(at(subject, 'signals'), viewer)), [created])
  })
  for (const [sent, stored] of [
    ['heartbeat', 'custom_heartbeat'],
    ['event', 'custom_event'],
    ['custom_event', 'custom_event'],
  ]) {
    t.test(`kind ${sent} makes a ${stored}`, async t => {
      t.equal(ok(await post(at(subject, 'signals'), { name: `Kind ${sent}`, kind: sent })).signal_kind, stored)
    })
  }
  t.test('meta is given back untouched, numbers to the last digit; absent and null are empty', async t => {
    const text =
      '{"big":12345678901234567890,"tiny":1e-400,"huge":1e400,"one":1.0,"__proto__":{"x":1},"half":"\\ud800","deep":[[[0.10]]]}'
    await raw(at(subject, 'signals'), `{"name":"Exact","kind":"event","meta":${text}}`)
    const answer = await get(at(subject, 'signals', 'exact'))
    t.ok(answer.text.includes(`"meta":${text}`), answer.text)
    t.strictSame(ok(await post(at(subject, 'signals'), { name: 'No meta', kind: 'event' })).meta, {})
    t.strictSame(ok(await post(at(subject, 'signals'), { name: 'Null meta', kind: 'event', meta: null })).meta, {})
  })
  t.test('a signal gets another name and meta and keeps slug and kind when it is updated', async t => {
    await signal(subject, 'Before', 'event')
    const updated = ok(await post(at(subject, 'signals', 'before'), { name: 'After', meta: { a: 1 } }, editor))
    t.match(updated, { id: 'before', name: 'After', signal_kind: 'custom_event', meta: { a: 1 } })
    for (const kind of ['event', 'custom_event', 'signal', null, 'platform_http', 'constructor', 7, { a: 1 }]) {
      const again = ok(await post(at(subject, 'signals', 'before'), { name: `After ${typeof kind}`, kind }))
      t.match(again, { id: 'before', name: `After ${typeof kind}`, signal_kind: 'custom_event', meta: {} })
    }
    t.match(ok(await get(at(subject, 'signals', 'before'))), { name: 'After object', meta: {} })
  })
  for (const [stored, other] of [
    ['custom_event', ['heartbeat', 'custom_heartbeat']],
    ['custom_heartbeat', ['event', 'custom_event']],
  ] as const) {
    const name = `Fixed ${stored}`
    t.test(`an update of a ${stored} is refused and stores nothing when the other kind is sent`, async t => {
      const slug = await signal(subject, name, stored)
      const path = at(subject, 'signals', slug)
      for (const kind of other) {
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
      t.match(ok(await get(path)), { name, signal_kind: stored, meta: {} })
    })
  }
  t.test('a new name may be that of another signal: slugs stay, and alone have to differ', async t => {
    const slug = await signal(subject, 'Namesake', 'event')
    t.match(ok(await post(at(subject, 'signals', slug), { name: 'Disk Space' })), { id: 'namesake', name: 'Disk Space' })
    t.equal((await post(at(subject, 'signals'), { name: 'Namesake', kind: 'event' })).json.error.message, 'Signal name taken')
  })
  t.test('signals are listed as they were made, whatever they are named later', async t => {
    const listing = await made()
    for (const name of ['Zeta', 'Alpha', 'Mid']) await signal(listing, name)
    ok(await post(at(listing, 'signals', 'mid'), { name: 'A' }))
    const listed: { id: string }[] = ok(await get(at(listing, 'signals')))
    t.strictSame(
      listed.map(({ id }) => id),
      ['zeta', 'alpha', 'mid'],
    )
  })
  t.test('a delete answers message, signal_id, subject_id, and removes its observations', async t => {
    const slug = await signal(subject, 'Gone', 'event')
    ok(await report(subject, slug, { status: 'ok' }))
    t.strictSame(ok(await remove(at(subject, 'signals', slug), editor)), {
      message: 'Signal deleted successfully',
      signal_id: 'gone',
      subject_id: subject,
    })
    await world.clock.advance(2 * second)
    t.equal((await get(at(subject, 'signals', slug))).json.error.message, 'Signal not found')
    t.equal(await world.store.count('pushedObservations', {}), 0)
    t.equal(await signal(subject, 'Gone', 'event'), 'gone', 'its name is free again')
  })
  t.test('a signal made again under its name has nothing of the one before', async t => {
    const again = await made()
    await signal(again, 'First')
    await signal(again, 'Job', 'event')
    ok(await report(again, 'job', { status: 'problem' }))
    ok(await remove(at(again, 'signals', 'job')))
    await signal(again, 'Job', 'event')
    await rule(again, anyOf(statusOf('job')))
    t.strictSame(await incidents(again), [], 'it never reported')
    ok(await report(again, 'job', { status: 'problem' }))
    await world.clock.advance(2 * second)
    const [stored] = await world.store.find('subjects', { where: { slug: again }, limit: 1 })
    t.equal(await countPushed(world.store, stored?.id ?? ''), 1, 'what left with the other was not its own')
    const keys = stored?.custom?.signals.map(({ key }) => key)
    t.strictSame(keys, ['s1', 's3'], 'a key is never given twice: rows of the other may take a while to leave')
  })
  t.test('a signal without any rule raises nothing', async t => {
    const alone = await made()
    const slug = await signal(alone)
    ok(await report(alone, slug, { status: 'problem' }))
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

t.test('Rule', async t => {
  const subject = await made('Rules')
  const beat = await signal(subject, 'Beat', 'heartbeat')
  const event = await signal(subject, 'Event', 'event')

  t.test('an authored rule is at version 1 and has exactly the fields; wait and state come back as their defaults', async t => {
    const created = ok(await post(at(subject, 'rules'), { name: 'First', document: anyOf(statusOf(beat)) }, editor))
    t.strictSame(created, {
      id: 'first',
      name: 'First',
      subject_id: subject,
      workspace_id: home,
      policy_version: 1,
      document: {
        inputs: [{ signal: 'beat', mode: 'status' }],
        decision: { state: 'down', need: 'any' },
        wait: { confirm_after: '2m0s', close_after: '2m0s' },
      },
      kind: 'subject_rule',
    })
    t.strictSame(ok(await get(at(subject, 'rules', 'first'), viewer)), created)
    t.strictSame(ok(await get(at(subject, 'rules'), viewer)), [created])
  })

  t.test('everything that a document can say comes back, durations normalised', async t => {
    const document = {
      inputs: [
        {
          signal: beat,
          mode: 'latest_value',
          compare: '>',
          threshold: -0.5,
          match: { host: '*', zone: '' },
          no_data_after: '90s',
        },
        { from: 'first' },
        { signal: event, mode: 'status' },
      ],
      decision: { state: 'down', need: 'at_least', at_least: 2 },
      wait: { confirm_after: '0s', close_after: '1h30m' },
    }
    const created = ok(await post(at(subject, 'rules'), { name: 'Second', document }))
    t.strictSame(created.document, {
      ...document,
      inputs: [{ ...document.inputs[0], no_data_after: '1m30s' }, ...document.inputs.slice(1)],
      wait: { confirm_after: '0s', close_after: '1h30m0s' },
    })
  })

  t.test('values that mean unset come back absent', async t => {
    const document = {
      inputs: [
        { signal: beat, from: null, mode: 'status', compare: '', threshold: 0, match: {}, no_data_after: '0s' },
        { signal: '', from: 'first', mode: '', compare: null, threshold: null, match: null, no_data_after: '' },
        { signal: event, mode: 'status', no_data_after: '5m' },
        { from: 'second', no_data_after: '5m' },
      ],
      decision: { state: null, need: 'all', at_least: 0 },
      wait: { confirm_after: null },
    }
    const created = ok(await post(at(subject, 'rules'), { name: 'Third', document }))
    t.strictSame(created.document, {
      inputs: [{ signal: beat, mode: 'status' }, { from: 'first' }, { signal: event, mode: 'status' }, { from: 'second' }],
      decision: { state: 'down', need: 'all' },
      wait: { confirm_after: '2m0s', close_after: '2m0s' },
    })
  })

  t.test('holds and silences of a year are taken', async t => {
    const year = '8760h0m0s'
    const document = { ...anyOf(statusOf(beat, { no_data_after: year })), wait: { confirm_after: year, close_after: year } }
    t.match(ok(await post(at(subject, 'rules'), { name: 'Yearly', document })).document, {
      inputs: [{ no_data_after: year }],
      wait: document.wait,
    })
  })

  t.test('threshold 0 is a threshold on latest_value', async t => {
    const input = { signal: beat, mode: 'latest_value', compare: '<', threshold: 0 }
    t.strictSame(ok(await post(at(subject, 'rules'), { name: 'Zero', document: anyOf(input) })).document.inputs, [input])
  })

  t.test('a rule increments policy_version and keeps its slug when another document is saved', async t => {
    const path = at(subject, 'rules', 'zero')
    const document = anyOf(statusOf(event))
    t.match(ok(await post(path, { name: 'Renamed', document }, editor)), { id: 'zero', name: 'Renamed', policy_version: 2 })
    t.match(ok(await post(path, { name: 'Renamed', document: anyOf(statusOf(beat)) })), { policy_version: 3 })
    t.match((await post(path, { name: '!', document })).json.error, { code: 2001 })
    t.match(ok(await post(path, { name: 'Renamed', document })), { policy_version: 4 }, 'back to what an earlier version said')
    t.match(ok(await get(path)), { name: 'Renamed', policy_version: 4, document: { inputs: document.inputs } })
    t.strictSame(await keptVersions(subject, 'zero'), [1, 2, 3, 4])
  })

  t.test('a rule keeps its policy_version when the document is equal after normalisation', async t => {
    const input = { signal: beat, mode: 'latest_value', compare: '>', threshold: 0, match: { zone: 'a', rack: '*' } }
    const document = { inputs: [{ ...input, no_data_after: '1m30s' }], decision: { state: 'down', need: 'any' } }
    const slug = await rule(subject, document, 'Same')
    const path = at(subject, 'rules', slug)
    const before = ok(await get(path))
    const same = { ...input, threshold: -0, match: { rack: '*', zone: 'a' }, from: null, no_data_after: '90s' }
    const spelled = { inputs: [same], decision: { need: 'any', at_least: 0 }, wait: { confirm_after: '120s', close_after: null } }
    t.strictSame(ok(await post(path, { name: 'Same', document: spelled })), before)
    t.strictSame(ok(await post(path, { name: 'Same', document: before.document })), before, 'as it was answered')
    t.strictSame(
      ok(await raw(path, JSON.stringify({ name: 'Same', document }).replace('"threshold":0', '"threshold":-0.0'))),
      before,
    )
    t.strictSame(ok(await post(path, { name: 'Renamed', document })), { ...before, name: 'Renamed' }, 'a rename alone')
    t.strictSame(ok(await get(path)), { ...before, name: 'Renamed' })
    t.strictSame(await keptVersions(subject, slug), [1])
    const differing = { ...document, wait: { confirm_after: '2m1s' } }
    t.match(ok(await post(path, { name: 'Renamed', document: differing })), { policy_version: 2 })
    t.strictSame(await keptVersions(subject, slug), [1, 2])
  })

  t.test('a new name may be that of another rule: slugs stay, and alone have to differ', async t => {
    const document = anyOf(statusOf(event))
    const slug = await rule(subject, document, 'Namesake')
    t.match(ok(await post(at(subject, 'rules', slug), { name: 'First', document })), { id: 'namesake', name: 'First' })
    t.equal((await post(at(subject, 'rules'), { name: 'Namesake', document })).json.error.message, 'Rule name taken')
  })

  t.test('a rule made again under its name is another: at version 1, with an incident of its own', async t => {
    const { subject: again, slug, ruleSlug } = await watched()
    ok(await report(again, slug, { status: 'problem' }))
    const [before] = await incidents(again)
    ok(await post(at(again, 'incidents', before.id, 'acknowledge')))
    ok(await remove(at(again, 'rules', ruleSlug)))
    t.match(ok(await post(at(again, 'rules'), { name: 'Trouble', document: anyOf(statusOf(slug)) })), { policy_version: 1 })
    const [after] = await incidents(again)
    t.match(after, { rule_id: ruleSlug, status: 'pending', acknowledged: false })
    t.not(after.id, before.id)
    t.match(ok(await post(at(again, 'incidents', before.id, 'acknowledge'))), { status: 'ok', rule_id: ruleSlug })
    const [stored] = await world.store.find('subjects', { where: { slug: again }, limit: 1 })
    const kept = await world.store.find('policies', { where: { subjectId: stored?.id ?? '' }, limit: 9 })
    t.strictSame(
      kept.map(policy => policy.version),
      [1, 1],
      'the documents of both are kept',
    )
  })

  t.test('what is cited by any input of any rule cannot be deleted, until no rule cites it', async t => {
    const cited = await made()
    for (const name of ['One', 'Two']) await signal(cited, name, 'event')
    await rule(cited, anyOf(statusOf('one')), 'Base')
    await rule(cited, anyOf(statusOf('one')), 'Other')
    await rule(cited, anyOf(statusOf('one'), { from: 'other' }, { from: 'base' }, statusOf('two')), 'Top')
    const refusalOf = async (...path: string[]) => (await remove(at(cited, ...path))).json.error
    t.match(await refusalOf('signals', 'two'), { code: 2003, message: 'Signal is still used by a rule', details: /top/ })
    t.match(await refusalOf('rules', 'base'), { code: 2003, message: 'Rule is still used as an input', details: /top/ })
    ok(await post(at(cited, 'rules', 'top'), { name: 'Top', document: anyOf(statusOf('one')) }))
    ok(await remove(at(cited, 'signals', 'two')))
    ok(await remove(at(cited, 'rules', 'base')))
    t.match(ok(await get(at(cited))), { signal_count: 1, rule_count: 2 })
  })

  t.test('a delete answers message, rule_id, subject_id', async t => {
    await rule(subject, anyOf(statusOf(event)), 'Brief')
    t.strictSame(ok(await remove(at(subject, 'rules', 'brief'), editor)), {
      message: 'Rule deleted successfully',
      rule_id: 'brief',
      subject_id: subject,
    })
    t.equal((await get(at(subject, 'rules', 'brief'))).json.error.message, 'Rule not found')
  })

  const author =
    (document: unknown, name = 'New') =>
    () =>
      post(at(subject, 'rules'), { name, document })
  const input = (change: Record<string, unknown>) => author(anyOf({ signal: beat, mode: 'status', ...change }))
  const value = (change: Record<string, unknown>) => input({ mode: 'latest_value', compare: '<', threshold: 1, ...change })
  const document = (change: Record<string, unknown>) => author({ ...anyOf(statusOf(beat)), ...change })
  const duration = 'must be a duration such as 2m or 1h30m, in whole milliseconds, of at most 365 days'
  const invalidDocuments: [title: string, send: () => Promise<Answer>, details: string][] = [
    ['no inputs field', author({ decision: { need: 'any' } }), 'inputs is required'],
    ['an input that reads nothing', author(anyOf({ mode: 'status' })), 'inputs[0] sets exactly one of signal and from'],
    ['an input that reads a signal and a rule', input({ from: 'first' }), 'inputs[0] sets exactly one of signal and from'],
    ['65 inputs', author(anyOf(...Array.from({ length: 65 }, () => statusOf(beat)))), 'inputs holds at most 64 inputs'],
    ['10,000 inputs', author(anyOf(...Array.from({ length: 10_000 }, () => statusOf(beat)))), 'inputs holds at most 64 inputs'],
    ['a compare word', value({ compare: '>=' }), 'inputs[0].compare must be < or >'],
    ['latest_value without compare', value({ compare: null }), 'inputs[0].compare must be < or >'],
    ['latest_value without threshold', value({ threshold: null }), 'inputs[0].threshold is required by mode latest_value'],
    ['compare on status', input({ compare: '<' }), 'inputs[0].compare is for mode latest_value alone'],
    ['a threshold on status', input({ threshold: 5 }), 'inputs[0].threshold is for mode latest_value alone'],
    [
      'match on a from input',
      author(anyOf({ from: 'first', match: { a: 'b' } })),
      'inputs[0].match is for signals alone: a rule has no labels',
    ],
    [
      'an empty match key',
      input({ match: { '': 'x' } }),
      'inputs[0].match has keys of 1 to 64 characters without control characters',
    ],
    [
      'a match key of 65 characters',
      input({ match: { ['k'.repeat(65)]: 'x' } }),
      'inputs[0].match has keys of 1 to 64 characters without control characters',
    ],
    [
      'a match value of 257 characters',
      input({ match: { k: 'x'.repeat(257) } }),
      'inputs[0].match has values of at most 256 characters',
    ],
    [
      '65 match entries',
      input({ match: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`k${i}`, 'x'])) }),
      'inputs[0].match holds at most 64 labels',
    ],
    ['no_data_after that is no duration', input({ no_data_after: '5 minutes' }), `inputs[0].no_data_after ${duration}`],
    ['a negative no_data_after', input({ no_data_after: '-5m' }), `inputs[0].no_data_after ${duration}`],
    ['a no_data_after below a millisecond', input({ no_data_after: '1us' }), `inputs[0].no_data_after ${duration}`],
    ['a hold below a millisecond', document({ wait: { confirm_after: '1ns' } }), `wait.confirm_after ${duration}`],
    ['a hold of one and a half', document({ wait: { close_after: '1.5ms' } }), `wait.close_after ${duration}`],
    ['a no_data_after beyond a year', input({ no_data_after: '8761h' }), `inputs[0].no_data_after ${duration}`],
    ['a duration that overflows', document({ wait: { close_after: `${'9'.repeat(400)}h` } }), `wait.close_after ${duration}`],
    ['an empty hold', document({ wait: { confirm_after: '' } }), `wait.confirm_after ${duration}`],
    ['an unknown field', document({ version: 1 }), 'version is no field of a rule document'],
    ['kind inside the document', document({ kind: 'policy' }), 'kind is no field of a rule document'],
    ['an unknown field of an input', input({ label: 'x' }), 'inputs[0].label is no field of a rule document'],
    [
      'an unknown field of the decision',
      document({ decision: { need: 'any', more: 1 } }),
      'decision.more is no field of a rule document',
    ],
    ['an unknown field of wait', document({ wait: { forever: '1s' } }), 'wait.forever is no field of a rule document'],
    ['no decision', document({ decision: null }), 'decision.need must be one of any, majority, all, at_least'],
    ['an unknown need', document({ decision: { need: 'most' } }), 'decision.need must be one of any, majority, all, at_least'],
    ['another state', document({ decision: { need: 'any', state: 'up' } }), 'decision.state must be down'],
    [
      'at_least missing',
      document({ decision: { need: 'at_least' } }),
      'decision.at_least must be a whole number from 1 to the number of inputs',
    ],
    [
      'at_least 0',
      document({ decision: { need: 'at_least', at_least: 0 } }),
      'decision.at_least must be a whole number from 1 to the number of inputs',
    ],
    [
      'at_least above the inputs',
      document({ decision: { need: 'at_least', at_least: 2 } }),
      'decision.at_least must be a whole number from 1 to the number of inputs',
    ],
    [
      'at_least that is no whole number',
      document({ decision: { need: 'at_least', at_least: 0.5 } }),
      'decision.at_least must be a whole number from 1 to the number of inputs',
    ],
    [
      'at_least without need at_least',
      document({ decision: { need: 'any', at_least: 1 } }),
      'decision.at_least is for need at_least alone',
    ],
    [
      'a circle of one',
      () => post(at(subject, 'rules', 'first'), { name: 'First', document: anyOf({ from: 'first' }) }),
      'inputs[0].from makes a circle of rules',
    ],
    [
      'a circle of two',
      () => post(at(subject, 'rules', 'first'), { name: 'First', document: anyOf({ from: 'second' }) }),
      'inputs[0].from makes a circle of rules',
    ],
  ]
  refuses(
    [
      ...invalidDocuments.map(([title, send, details]) => ({
        title: `a document with ${title}`,
        send,
        code: 2001,
        message: 'Invalid rule document',
        details,
      })),
      {
        title: 'no mode',
        send: author(anyOf({ signal: beat })),
        code: 2001,
        message: 'Invalid input mode',
        details: 'inputs[0].mode must be status or latest_value',
      },
      { title: 'an unknown mode', send: input({ mode: 'both' }), code: 2001, message: 'Invalid input mode' },
      {
        title: 'a mode on a from input',
        send: author(anyOf(statusOf(beat), { from: 'first', mode: 'status' })),
        code: 2001,
        message: 'Invalid input mode',
        details: 'inputs[1].mode must not be set: the verdict of a rule is read as it is',
      },
      {
        title: 'an unknown signal',
        send: author(anyOf(statusOf('nowhere'))),
        code: 2001,
        message: 'Unknown input',
        details: /inputs\[0\]\.signal.*nowhere/,
      },
      ...['signal', 'from'].map(cites => ({
        title: `a ${cites} longer than any slug`,
        send: author(anyOf({ [cites]: '\u{1d4b6}'.repeat(2_000), ...(cites === 'signal' ? { mode: 'status' } : {}) })),
        code: 2001,
        message: 'Unknown input',
        details: new RegExp(`inputs\\[0\\]\\.${cites}`),
      })),
      {
        title: 'an unknown rule',
        send: author(anyOf({ from: 'nowhere' })),
        code: 2001,
        message: 'Unknown input',
        details: /inputs\[0\]\.from.*nowhere/,
      },
      {
        title: 'a rule that does not exist yet, its own slug,',
        send: author(anyOf({ from: 'new-one' }), 'New one'),
        code: 2001,
        message: 'Unknown input',
        details: 'inputs[0].from: the subject has no rule "new-one"',
      },
      { title: "another subject's signal", send: author(anyOf(statusOf('job'))), code: 2001, message: 'Unknown input' },
      {
        title: 'a rule name without letter or digit',
        send: author(anyOf(statusOf(beat)), '…'),
        code: 2001,
        message: 'Invalid name',
      },
      {
        title: 'a rule whose slug is taken',
        send: author(anyOf(statusOf(beat)), 'FIRST'),
        code: 2001,
        message: 'Rule name taken',
      },
      {
        title: 'a rule without name',
        send: () => post(at(subject, 'rules'), { document: anyOf(statusOf(beat)) }),
        code: 2001,
        message: 'Validation failed',
        details: "Field 'name' is required",
      },
      {
        title: 'a rule without document',
        send: () => post(at(subject, 'rules'), { name: 'New' }),
        code: 2001,
        message: 'Validation failed',
        details: "Field 'document' is required",
      },
      {
        title: 'an unknown field beside the document',
        send: () => post(at(subject, 'rules'), { name: 'New', document: anyOf(statusOf(beat)), id: 'new' }),
        code: 2006,
        message: 'Invalid JSON',
        details: /id/,
      },
      { title: 'a document of another type', send: author('any'), code: 2006, message: 'Invalid JSON' },
      { title: 'inputs of another type', send: document({ inputs: {} }), code: 2006, message: 'Invalid JSON' },
      {
        title: 'a match value of another type',
        send: author(anyOf(statusOf(beat), { signal: beat, mode: 'status', match: { k: 5 } })),
        code: 2006,
        message: 'Invalid JSON',
        details: "Field 'document.inputs[1].match.k' has the wrong type",
      },
      { title: 'a hold in seconds', send: document({ wait: { confirm_after: 120 } }), code: 2006, message: 'Invalid JSON' },
      { title: 'a threshold as text', send: value({ threshold: '1' }), code: 2006, message: 'Invalid JSON' },
      {
        title: 'a threshold that is not finite',
        send: () =>
          raw(
            at(subject, 'rules'),
            `{"name":"New","document":{"inputs":[{"signal":"${beat}","mode":"latest_value","compare":"<","threshold":1e999}],"decision":{"need":"any"}}}`,
          ),
        code: 2006,
        message: 'Invalid JSON',
      },
      {
        title: 'an unknown rule in the path',
        send: () => get(at(subject, 'rules', 'none')),
        code: 2002,
        message: 'Rule not found',
      },
      {
        title: 'an unknown rule replaced by a viewer',
        send: () => post(at(subject, 'rules', 'none'), {}, viewer),
        code: 2002,
        message: 'Rule not found',
      },
      {
        title: 'an unknown rule deleted',
        send: () => remove(at(subject, 'rules', 'none')),
        code: 2002,
        message: 'Rule not found',
      },
      {
        title: 'a rule made by a viewer',
        send: () => post(at(subject, 'rules'), {}, viewer),
        code: 2005,
        message: 'Access denied',
      },
      { title: 'a rule replaced by a viewer', send: () => post(at(subject, 'rules', 'first'), {}, viewer), code: 2005 },
      { title: 'a rule deleted by a viewer', send: () => remove(at(subject, 'rules', 'first'), viewer), code: 2005 },
      {
        title: 'a delete of a signal that a rule reads',
        send: () => remove(at(subject, 'signals', beat)),
        code: 2003,
        message: 'Signal is still used by a rule',
      },
      {
        title: 'a delete of a rule that another cites',
        send: () => remove(at(subject, 'rules', 'first')),
        code: 2003,
        message: 'Rule is still used as an input',
      },
    ],
    t as Test,
  )
})

t.test('Observation', async t => {
  const subject = await made('Observations')
  const slug = await signal(subject, 'Beat', 'heartbeat')
  const send = (body: Record<string, unknown>) => report(subject, slug, body)

  t.test('an observation comes back with exactly the fields, as sent', async t => {
    const labels = { host: 'a', 'ключ 🙂': '', kind: 'data', __proto: 'x' }
    const sent = { observed_at: iso(world.clock.now() - 5), status: 'problem', value: -1.5e-7, error: 'disk full', labels }
    t.strictSame(ok(await report(subject, slug, sent, editor)), {
      subject_id: subject,
      signal_id: slug,
      observed_at: sent.observed_at,
      received_at: iso(world.clock.now()),
      status: 'problem',
      value: -1.5e-7,
      error: 'disk full',
      labels,
      accepted: true,
      reject_reason: 'accepted',
      kind: 'observation',
    })
  })

  t.test('what is left out or null: stamped now, no value, no error, no labels', async t => {
    const nulls = { observed_at: null, value: null, error: null, labels: null }
    for (const body of [{ status: 'ok' }, { status: 'ok', ...nulls }, { status: 'ok', kind: 'observation' }]) {
      const stamped = { observed_at: iso(world.clock.now()), value: null, error: '', labels: {}, accepted: true }
      t.match(ok(await send(body)), stamped)
      await world.clock.advance(1)
    }
  })

  const today = '2023-11-14T20:13:20'
  for (const [title, sent, answered] of [
    ['lower-case t and z', '2023-11-14t20:13:20z', `${today}.000Z`],
    ['an offset', '2023-11-15T05:43:20+09:30', `${today}.000Z`],
    ['a negative offset', '2023-11-14T12:13:20.5-08:00', `${today}.500Z`],
    ['the unknown offset -00:00', `${today}-00:00`, `${today}.000Z`],
    ['microseconds', `${today}.123456Z`, `${today}.123456Z`],
    ['six digits with zeros among the last three', `${today}.123005Z`, `${today}.123005Z`],
    ['six digits of which three are zero', `${today}.120000Z`, `${today}.120Z`],
    ['nine digits, cut to six', `${today}.123456789Z`, `${today}.123456Z`],
    ['a leap second', '2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
    ['a leap second at an offset', '2017-01-01T08:59:60.25+09:00', '2017-01-01T00:00:00.250Z'],
    ['a leap day', '2020-02-29T00:00:00Z', '2020-02-29T00:00:00.000Z'],
    ['as many digits as are read', `${today}.${'1'.repeat(43)}Z`, `${today}.111111Z`],
    ['a microsecond before 1970', '1969-12-31T23:59:59.999999Z', '1969-12-31T23:59:59.999999Z'],
    ['the first instant of the year 0', '0000-01-01T00:00:00Z', '0000-01-01T00:00:00.000Z'],
    ['the year 1', '0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['the year 9999', '9999-12-31T23:59:59.002Z', '9999-12-31T23:59:59.002Z'],
    ['the last microsecond of the year 9999', '9999-12-31T23:59:59.999999Z', '9999-12-31T23:59:59.999Z'],
  ] as const) {
    t.test(`observed_at with ${title} is read`, async t => {
      t.equal(ok(await send({ status: 'ok', observed_at: sent, labels: { title } })).observed_at, answered)
      t.equal(ok(await send({ status: 'ok', observed_at: sent, labels: { title } })).observed_at, answered, 'the same text again')
    })
  }

  const now = () => world.clock.now()
  const day = 24 * 60 * minute
  const reasons: [title: string, ageMs: number, reason: string][] = [
    ['60 s in the future', -60 * second, 'accepted'],
    ['more than 60 s in the future', -60 * second - 1, 'clock_skew'],
    ['the year 2999', -1_000 * 365 * day, 'clock_skew'],
    ['24 h old', day, 'accepted'],
    ['older than 24 h', day + 1, 'late'],
    ['30 days old', 30 * day, 'late'],
    ['older than the retention of 30 days', 30 * day + 1, 'out_of_retention'],
  ]
  for (const [title, ageMs, reason] of reasons) {
    t.test(`an observation ${title} is stored and ${reason}`, async t => {
      const answer = ok(await send({ status: 'problem', observed_at: iso(now() - ageMs), labels: { title } }))
      t.match(answer, { accepted: reason === 'accepted', reject_reason: reason })
    })
  }

  t.test(
    'older than the newest accepted one of the same signal and labels: out_of_order; an equal time is not older',
    async t => {
      const at = (ageMs: number, labels: Record<string, string>) =>
        send({ status: 'ok', observed_at: iso(now() - ageMs), labels })
      const host = { host: 'order' }
      t.equal(ok(await at(1_000, host)).reject_reason, 'accepted')
      t.equal(ok(await at(1_001, host)).reject_reason, 'out_of_order')
      t.equal(ok(await at(1_001, { host: 'another' })).reject_reason, 'accepted', 'other labels have an order of their own')
      t.equal(ok(await at(1_000, host)).reject_reason, 'accepted')
      t.equal(ok(await at(2 * day, host)).reject_reason, 'late', 'the first reason that fits')
    },
  )

  t.test(
    'identity is signal, observed_at and labels in any order: sent again it replaces the row and keeps its acceptance',
    async t => {
      const observed_at = iso(now() - 500)
      const before = await world.store.count('pushedObservations', {})
      const first = ok(await send({ status: 'ok', value: 1, observed_at, labels: { a: '1', b: '2' } }))
      ok(await send({ status: 'ok', observed_at: iso(now() - 400), labels: { a: '1', b: '2' } }))
      const again = ok(await send({ status: 'problem', value: 2, observed_at, labels: { b: '2', a: '1' } }))
      t.match(again, { status: 'problem', value: 2, accepted: true, observed_at: first.observed_at })
      t.equal(await world.store.count('pushedObservations', {}), before + 2)
      t.equal(
        ok(await send({ status: 'ok', observed_at, labels: { a: '1', b: '3' } })).accepted,
        true,
        'another label, another row',
      )
      t.equal(await world.store.count('pushedObservations', {}), before + 3)
    },
  )

  t.test('64 labels, keys of 64 and values of 256 characters are taken', async t => {
    const labels = Object.fromEntries(
      Array.from({ length: 64 }, (_, i) => [`${i}`.padStart(2, '0') + '🙂'.repeat(62), '🙂'.repeat(256)]),
    )
    t.strictSame(ok(await send({ status: 'ok', labels })).labels, labels)
  })

  t.test('error is cut to 2000 characters', async t => {
    t.equal(ok(await send({ status: 'problem', error: '🙂'.repeat(2_001), labels: { cut: 'a' } })).error, '🙂'.repeat(2_000))
    t.equal(ok(await send({ status: 'problem', error: 'x'.repeat(2_000), labels: { cut: 'b' } })).error, 'x'.repeat(2_000))
  })

  const refused = (title: string, body: Record<string, unknown>, code: number, message: string, details?: string): Refusal => ({
    title,
    send: () => send(body),
    code,
    message,
    ...(details ? { details } : {}),
  })
  const labelKey = 'A label key has 1 to 64 characters and no control characters'
  const timestamps = [
    ...[
      '',
      'now',
      '1700000000',
      '2023-11-14',
      '2023-11-14 20:13:20Z',
      '2023-11-14T20:13:20',
      '2023-11-14T20:13Z',
      '20231114T201320Z',
    ],
    ...['2023-02-29T00:00:00Z', '2023-13-01T00:00:00Z', '2023-00-01T00:00:00Z', '2023-11-31T00:00:00Z', '2023-11-14T24:00:00Z'],
    ...['2023-11-00T00:00:00Z', '2023-11-14T23:59:60Z'],
    ...[
      '2023-11-14T20:60:00Z',
      '2023-11-14T20:13:60Z',
      '2017-01-01T00:10:60Z',
      '2017-01-01T11:59:60Z',
      '2023-11-14T20:13:61Z',
      '2023-11-14T20:13:20.Z',
      '2023-11-14T20:13:20,5Z',
    ],
    ...['2023-11-14T20:13:20+24:00', '2023-11-14T20:13:20+09:60', '2023-11-14T20:13:20+0900', '+02023-11-14T20:13:20Z'],
    ...[
      '9999-12-31T23:59:59-00:01',
      '9999-12-31T23:59:60Z',
      '0000-01-01T00:00:00+00:01',
      `2023-11-14T20:13:20.${'1'.repeat(100)}Z`,
      '2023-W46-2T00:00:00Z',
    ],
  ]
  refuses(
    [
      refused('no status', {}, 2001, 'invalid status'),
      refused('status null', { status: null }, 2001, 'invalid status'),
      refused('another status word', { status: 'OK' }, 2001, 'invalid status'),
      refused('a status of another type', { status: true }, 2001, 'invalid status'),
      ...timestamps.map(text =>
        refused(
          `observed_at ${JSON.stringify(text.slice(0, 40))}`,
          { status: 'ok', observed_at: text },
          2001,
          'invalid observed_at',
          'observed_at must be an RFC 3339 timestamp such as 2026-01-02T15:04:05Z',
        ),
      ),
      refused('observed_at of another type', { status: 'ok', observed_at: 1_700_000_000 }, 2006, 'Invalid JSON'),
      refused(
        '65 labels',
        { status: 'ok', labels: Object.fromEntries(Array.from({ length: 65 }, (_, i) => [`k${i}`, ''])) },
        2001,
        'invalid label',
        'An observation has at most 64 labels',
      ),
      refused('an empty label key', { status: 'ok', labels: { '': 'x' } }, 2001, 'invalid label', labelKey),
      refused(
        'a label key of 65 characters',
        { status: 'ok', labels: { ['k'.repeat(65)]: 'x' } },
        2001,
        'invalid label',
        labelKey,
      ),
      refused('a label key with a control character', { status: 'ok', labels: { 'a\tb': 'x' } }, 2001, 'invalid label', labelKey),
      refused('a label key with DEL', { status: 'ok', labels: { 'a\u007f': 'x' } }, 2001, 'invalid label', labelKey),
      refused(
        'a label key with a C1 control character',
        { status: 'ok', labels: { 'a\u009f': 'x' } },
        2001,
        'invalid label',
        labelKey,
      ),
      refused(
        'a label value of 257 characters',
        { status: 'ok', labels: { k: 'x'.repeat(257) } },
        2001,
        'invalid label',
        'The value of the label "k" has more than 256 characters',
      ),
      refused(
        'the label location',
        { status: 'ok', labels: { location: 'de' } },
        2001,
        'invalid label',
        'The label "location" is reserved to probers',
      ),
      refused('a label value of another type', { status: 'ok', labels: { k: 1 } }, 2006, 'Invalid JSON'),
      refused('labels of another type', { status: 'ok', labels: ['k'] }, 2006, 'Invalid JSON'),
      refused('an error of another type', { status: 'ok', error: {} }, 2006, 'Invalid JSON'),
      refused('a value of another type', { status: 'ok', value: '1' }, 2006, 'Invalid JSON'),
      refused('an unknown field', { status: 'ok', severity: 1 }, 2006, 'Invalid JSON', "Unknown field 'severity'"),
      {
        title: 'a value that is not finite',
        send: () => raw(at(subject, 'signals', slug, 'observations'), '{"status":"ok","value":1e999}'),
        code: 2006,
        message: 'Invalid JSON',
      },
      {
        title: 'an unpaired surrogate',
        send: () => raw(at(subject, 'signals', slug, 'observations'), '{"status":"ok","error":"\\ud800"}'),
        code: 2006,
        message: 'Invalid JSON',
        details: 'A text holds an unpaired surrogate',
      },
      { title: 'no body', send: () => post(at(subject, 'signals', slug, 'observations')), code: 2001, message: 'invalid status' },
      {
        title: 'an observation of an unknown signal',
        send: () => report(subject, 'none', { status: 'ok' }),
        code: 2002,
        message: 'Signal not found',
      },
      {
        title: 'an observation by a viewer',
        send: () => report(subject, slug, { nonsense: 1 }, viewer),
        code: 2005,
        message: 'Access denied',
      },
      {
        title: 'an observation by a stranger',
        send: () => report(subject, slug, { status: 'ok' }, stranger),
        code: 2002,
        message: 'Subject not found',
      },
      {
        title: 'GET on observations',
        send: () => get(at(subject, 'signals', slug, 'observations')),
        code: 2002,
        message: 'Not found',
      },
    ],
    t,
  )
})

t.test('Judging and incidents', async t => {
  t.test('the first bad tick opens an incident, pending, with exactly the fields', async t => {
    const { subject, slug, ruleSlug } = await watched()
    t.strictSame(await incidents(subject), [], 'none before')
    ok(await report(subject, slug, { status: 'problem' }))
    const troubleSince = iso(world.clock.now())
    const [incident, ...more] = await incidents(subject)
    t.strictSame(more, [])
    t.match(incident.id, /^[A-Za-z][0-9A-Za-z]+$/)
    t.strictSame(incident, {
      id: incident.id,
      subject_id: subject,
      rule_id: ruleSlug,
      rule_name: 'Trouble',
      status: 'pending',
      trouble_since: troubleSince,
      confirmed_at: null,
      well_since: null,
      acknowledged: false,
      acknowledged_at: null,
      acknowledged_by: '',
      kind: 'subject_incident',
    })
    t.strictSame(await ok(await get(at(subject, 'incidents'), viewer)), [incident])
  })

  t.test('pending, problem at the exact end of the hold, recovering, closed: each as its hold says', async t => {
    const { subject, slug } = await watched(one => ({
      ...anyOf(statusOf(one)),
      wait: { confirm_after: '90s', close_after: '3m' },
    }))
    const opened = world.clock.now()
    ok(await report(subject, slug, { status: 'problem' }))
    await world.clock.advance(89 * second)
    t.match(await incidents(subject), [{ status: 'pending' }])
    await world.clock.advance(2 * second)
    t.match(await incidents(subject), [
      { status: 'problem', trouble_since: iso(opened), confirmed_at: iso(opened + 90 * second) },
    ])
    const wellSince = world.clock.now()
    ok(await report(subject, slug, { status: 'ok' }))
    t.match(await incidents(subject), [{ status: 'recovering', well_since: iso(wellSince) }])
    ok(await report(subject, slug, { status: 'problem', labels: { again: 'x' } }))
    t.match(await incidents(subject), [{ status: 'problem', well_since: null, trouble_since: iso(opened) }], 'bad again')
    ok(await report(subject, slug, { status: 'ok', labels: { again: 'x' } }))
    await world.clock.advance(179 * second)
    t.match(await incidents(subject), [{ status: 'recovering' }])
    await world.clock.advance(2 * second)
    t.strictSame(await incidents(subject), [], 'closed incidents are not listed')
  })

  t.test('the defaults are two minutes each, and a 0s hold confirms at the first judgement', async t => {
    const { subject, slug } = await watched()
    ok(await report(subject, slug, { status: 'problem' }))
    await world.clock.advance(119 * second)
    t.match(await incidents(subject), [{ status: 'pending' }])
    await world.clock.advance(2 * second)
    t.match(await incidents(subject), [{ status: 'problem' }])
    const quick = await watched(one => ({ ...anyOf(statusOf(one)), wait: { confirm_after: '0s' } }))
    ok(await report(quick.subject, quick.slug, { status: 'problem' }))
    t.match(await incidents(quick.subject), [{ status: 'problem', confirmed_at: iso(world.clock.now()) }])
  })

  t.test('a heartbeat that falls silent is no data after its time; an event never is', async t => {
    const { subject, slug } = await watched(one => anyOf(statusOf(one, { no_data_after: '1m' })), 'heartbeat')
    const event = await watched()
    ok(await report(subject, slug, { status: 'ok' }))
    ok(await report(event.subject, event.slug, { status: 'ok' }))
    await world.clock.advance(60 * second)
    t.strictSame(await incidents(subject), [], 'not at its time, only after it')
    await world.clock.advance(2)
    t.match(await incidents(subject), [{ status: 'pending' }])
    await world.clock.advance(2 * minute)
    t.match(await incidents(subject), [{ status: 'no_data' }])
    t.strictSame(await incidents(event.subject), [])
    ok(await report(subject, slug, { status: 'ok' }))
    t.match(await incidents(subject), [{ status: 'recovering' }])
  })

  t.test('a heartbeat that never reported is not judged within its grace of 5 minutes, no data after it', async t => {
    const { subject } = await watched(one => anyOf(statusOf(one)), 'heartbeat')
    await world.clock.advance(5 * minute)
    t.strictSame(await incidents(subject), [])
    await world.clock.advance(2)
    t.match(await incidents(subject), [{ status: 'pending' }])
  })

  t.test('latest_value compares the number, whatever the status; without a number it is unknown', async t => {
    const above = (one: string) => anyOf({ signal: one, mode: 'latest_value', compare: '>', threshold: 90 })
    const { subject, slug } = await watched(above)
    ok(await report(subject, slug, { status: 'problem', value: 90 }))
    t.strictSame(await incidents(subject), [])
    await world.clock.advance(1)
    ok(await report(subject, slug, { status: 'ok', value: 90.5 }))
    t.match(await incidents(subject), [{ status: 'pending' }])
    const silent = await watched(above)
    ok(await report(silent.subject, silent.slug, { status: 'ok' }))
    t.match(await incidents(silent.subject), [{ status: 'pending' }], 'unknown, not false')
  })

  t.test('match selects by label; * means present with any value', async t => {
    const { subject, slug } = await watched(one => anyOf(statusOf(one, { match: { zone: 'a', host: '*' } })))
    ok(await report(subject, slug, { status: 'problem', labels: { zone: 'b', host: 'x' } }))
    ok(await report(subject, slug, { status: 'problem', labels: { zone: 'a' } }))
    t.strictSame(await incidents(subject), [])
    ok(await report(subject, slug, { status: 'problem', labels: { zone: 'a', host: 'y', more: 'z' } }))
    t.match(await incidents(subject), [{ status: 'pending' }])
  })

  t.test('an observation that is not accepted is never judged', async t => {
    const { subject, slug } = await watched()
    const skewed = ok(await report(subject, slug, { status: 'problem', observed_at: iso(world.clock.now() + 61 * second) }))
    t.equal(skewed.reject_reason, 'clock_skew')
    t.strictSame(await incidents(subject), [])
  })

  t.test('sent again with another status it is judged again', async t => {
    const { subject, slug } = await watched(one => ({ ...anyOf(statusOf(one)), wait: { close_after: '0s' } }))
    const observed_at = iso(world.clock.now())
    ok(await report(subject, slug, { status: 'problem', observed_at }))
    t.match(await incidents(subject), [{ status: 'pending' }])
    ok(await report(subject, slug, { status: 'ok', observed_at }))
    t.strictSame(await incidents(subject), [])
  })

  /** Three inputs by label, each 1 problem, 0 ok, ? unknown (a heartbeat's number is missing). */
  const quorums: [need: Record<string, unknown>, readings: string, open: boolean][] = [
    [{ need: 'any' }, '100', true],
    [{ need: 'any' }, '00?', true],
    [{ need: 'any' }, '000', false],
    [{ need: 'majority' }, '100', false],
    [{ need: 'majority' }, '110', true],
    [{ need: 'majority' }, '10?', true],
    [{ need: 'majority' }, '00?', false],
    [{ need: 'all' }, '111', true],
    [{ need: 'all' }, '11?', true],
    [{ need: 'all' }, '110', false],
    [{ need: 'all' }, '0??', false],
    [{ need: 'at_least', at_least: 2 }, '101', true],
    [{ need: 'at_least', at_least: 2 }, '1?0', true],
    [{ need: 'at_least', at_least: 3 }, '1?0', false],
  ]
  for (const [decision, readings, open] of quorums) {
    t.test(`${JSON.stringify(decision)} over ${readings} ${open ? 'opens' : 'opens nothing'}`, async t => {
      const subject = await made()
      const slug = await signal(subject, 'Number', 'event')
      for (const [i, reading] of [...readings].entries()) {
        const value = reading === '?' ? null : Number(reading)
        ok(await report(subject, slug, { status: 'ok', value, labels: { n: `${i}` } }))
      }
      const input = (i: number) => ({ signal: slug, mode: 'latest_value', compare: '>', threshold: 0.5, match: { n: `${i}` } })
      await rule(subject, { inputs: [0, 1, 2].map(input), decision })
      t.equal((await incidents(subject)).length, open ? 1 : 0, 'judged when the rule was saved, by what was reported before')
    })
  }

  t.test('a rule reads the verdict of another; each has an incident of its own, newest first, ties by rule slug', async t => {
    const subject = await made()
    const one = await signal(subject, 'One', 'event')
    const two = await signal(subject, 'Two', 'event')
    await rule(subject, anyOf(statusOf(one)), 'M first')
    await rule(subject, anyOf({ from: 'm-first' }), 'A second')
    await rule(subject, anyOf({ from: 'm-first' }), 'T other')
    await rule(subject, anyOf(statusOf(two)), 'Z third')
    ok(await report(subject, one, { status: 'problem' }))
    t.strictSame(
      (await incidents(subject)).map((incident: { rule_id: string }) => incident.rule_id),
      ['a-second', 'm-first', 't-other'],
    )
    await world.clock.advance(second)
    ok(await report(subject, two, { status: 'problem' }))
    t.strictSame(
      (await incidents(subject)).map((incident: { rule_id: string }) => incident.rule_id),
      ['z-third', 'a-second', 'm-first', 't-other'],
    )
    await world.clock.advance(second)
    ok(await report(subject, two, { status: 'problem' }))
    t.equal((await incidents(subject)).length, 4, 'one open at a time per rule')
  })

  t.test('deleting a rule closes its incident; replacing its policy keeps it', async t => {
    const { subject, slug, ruleSlug } = await watched()
    ok(await report(subject, slug, { status: 'problem' }))
    const [before] = await incidents(subject)
    ok(await post(at(subject, 'rules', ruleSlug), { name: 'New name', document: anyOf(statusOf(slug, { match: {} })) }))
    const [after] = await incidents(subject)
    t.strictSame(after, { ...before, rule_name: 'New name' })
    ok(await remove(at(subject, 'rules', ruleSlug)))
    t.strictSame(await incidents(subject), [])
    const late = await post(at(subject, 'incidents', before.id, 'acknowledge'))
    t.match(late.json.error, { code: 2004, message: 'Incident is closed' })
  })
})

t.test('an alert of a custom subject hides the credentials of addresses in a sender’s error', async t => {
  const { subject, slug } = await watched()
  for (const [error, shown] of [
    ['https://me:hidden@db.example/x?api_key=hidden refused', 'https://db.example/x?api_key=redacted refused'],
    [`${'x'.repeat(limits.judging.reasonCharacters - 12)} redis://me:hidden@cache`, /redis:\/\/cac$/],
  ] as const) {
    const before = ok(await report(subject, slug, { status: 'problem', error }))
    t.equal(before.error, error, 'the sender reads what was sent')
    await world.clock.advance(2 * minute + second)
    const [{ id: subjectId } = { id: '' }] = await world.store.find('subjects', { where: { slug: subject }, limit: 1 })
    const alerts = await world.store.find('alerts', { where: { subjectId }, sort: [['id', 'desc']], limit: 1 })
    t.match(alerts[0]?.facts, { error: shown })
    t.notMatch(JSON.stringify(alerts), 'hidden')
    ok(await report(subject, slug, { status: 'ok' }))
    await world.clock.advance(2 * minute + second)
  }
})

t.test('an alert of a custom subject names its rule, the numbers out of bounds, and since when nothing was heard', async t => {
  const subject = await made('Queue API')
  for (const name of ['Depth', 'Left']) await signal(subject, name)
  const numbers = [
    { signal: 'depth', mode: 'latest_value', compare: '>', threshold: 100 },
    { signal: 'left', mode: 'latest_value', compare: '<', threshold: 5 },
  ]
  await rule(subject, { inputs: numbers, decision: { need: 'any' } }, 'Too deep')
  await rule(subject, anyOf({ from: 'too-deep' }), 'Overall')
  const subjectId = (await world.store.find('subjects', { where: { slug: subject }, limit: 1 }))[0]?.id ?? ''
  const factsOf = async (ruleName: string, kind: string) =>
    (await world.store.find('alerts', { where: { subjectId }, limit: 20 })).find(
      alert => alert.kind === kind && alert.facts.ruleName === ruleName,
    )?.facts
  ok(await report(subject, 'depth', { status: 'ok', value: 150 }))
  ok(await report(subject, 'left', { status: 'ok', value: 7 }))
  await world.clock.advance(2 * minute + second)
  t.match(await factsOf('Too deep', 'problem'), {
    problems: [{ of: 'signal', signal: 'depth', number: { value: 150, compare: '>', threshold: 100 } }],
    silence: null,
  })
  t.match(await factsOf('Overall', 'problem'), { problems: [{ of: 'rule', name: 'Too deep' }] })
  ok(await report(subject, 'left', { status: 'ok', value: 7 }))
  await world.clock.advance(second)
  ok(await report(subject, 'depth', { status: 'ok', value: 50 }))
  const heard = world.clock.now()
  await world.clock.advance(2 * minute + second)
  t.match(await factsOf('Too deep', 'recovery'), { problems: [], silence: null, explanation: 'all 2 inputs ok' })
  await world.clock.advance(10 * minute)
  t.match(
    await factsOf('Too deep', 'no_data'),
    { problems: [], silence: { lastAt: heard } },
    'the latest of those that are silent',
  )
  t.match(await factsOf('Overall', 'no_data'), { silence: { lastAt: heard } }, 'of the rule that it reads')

  const quiet = await made('Never heard')
  await signal(quiet, 'Beat')
  await rule(quiet, anyOf(statusOf('beat')), 'Quiet')
  const numberless = await made('No number')
  await signal(numberless, 'Depth', 'event')
  await rule(numberless, anyOf(numbers[0] as Record<string, unknown>), 'Deep')
  ok(await report(numberless, 'depth', { status: 'ok' }))
  await world.clock.advance(10 * minute)
  for (const [slug, silence] of [
    [quiet, { lastAt: null }],
    [numberless, null],
  ] as const) {
    const [found] = await world.store.find('subjects', { where: { slug }, limit: 1 })
    const [alert] = await world.store.find('alerts', { where: { subjectId: found?.id ?? '' }, limit: 1 })
    t.match(alert, { kind: 'no_data', facts: { silence } }, slug)
  }
})

t.test('Acknowledgement', async t => {
  const open = async (wait?: Record<string, string>) => {
    const { subject, slug, ruleSlug } = await watched(one => ({ ...anyOf(statusOf(one)), ...(wait ? { wait } : {}) }))
    ok(await report(subject, slug, { status: 'problem' }))
    const [incident] = await incidents(subject)
    return { subject, slug, ruleSlug, id: incident.id as string, path: at(subject, 'incidents', incident.id, 'acknowledge') }
  }

  t.test('the first call records who and when, a repeat answers the first person with recorded false', async t => {
    const { subject, ruleSlug, id, path } = await open()
    const troubleSince = iso(world.clock.now())
    await world.clock.advance(second)
    const acknowledgedAt = iso(world.clock.now())
    const answer = {
      incident_id: id,
      subject_id: subject,
      rule_id: ruleSlug,
      status: 'pending',
      acknowledged: true,
      acknowledged_at: acknowledgedAt,
      acknowledged_by: 'Olga Owner',
      recorded: true,
      trouble_since: troubleSince,
      confirmed_at: null,
      well_since: null,
      closed_at: null,
      kind: 'incident_acknowledgement',
    }
    t.strictSame(ok(await post(path)), answer)
    await world.clock.advance(second)
    t.strictSame(ok(await post(path, undefined, editor)), { ...answer, recorded: false })
    t.match(await incidents(subject), [
      { acknowledged: true, acknowledged_at: acknowledgedAt, acknowledged_by: 'Olga Owner', status: 'pending' },
    ])
  })

  t.test('by the username where there is no display name', async t => {
    const { path } = await open()
    t.equal(ok(await post(path, undefined, editor)).acknowledged_by, 'editor')
  })

  t.test('closed after it was acknowledged: recorded false and status ok; closed without: Incident is closed', async t => {
    const acknowledged = await open({ close_after: '0s' })
    ok(await post(acknowledged.path))
    const plain = await open({ close_after: '0s' })
    await world.clock.advance(second)
    ok(await report(acknowledged.subject, acknowledged.slug, { status: 'ok' }))
    ok(await report(plain.subject, plain.slug, { status: 'ok' }))
    t.match(ok(await post(acknowledged.path)), {
      recorded: false,
      status: 'ok',
      acknowledged: true,
      acknowledged_by: 'Olga Owner',
      closed_at: iso(world.clock.now()),
    })
    t.match((await post(plain.path)).json.error, { code: 2004, message: 'Incident is closed' })
  })

  t.test('refusals', async t => {
    const one = await open()
    const another = await open()
    const bad = (title: string, send: () => Promise<Answer>, code: number, message: string): Refusal => ({
      title,
      send,
      code,
      message,
    })
    const noBody = 'This request takes no body'
    refuses(
      [
        bad('a viewer', () => post(one.path, undefined, viewer), 2005, 'Access denied'),
        bad('a stranger', () => post(one.path, undefined, stranger), 2002, 'Subject not found'),
        bad('an empty object', () => post(one.path, {}), 2001, noBody),
        bad('a byte that is no JSON', () => raw(one.path, ' '), 2001, noBody),
        bad('a body from a viewer, role before body,', () => post(one.path, {}, viewer), 2005, 'Access denied'),
        bad(
          "another subject's incident",
          () => post(at(one.subject, 'incidents', another.id, 'acknowledge')),
          2002,
          'Incident not found',
        ),
        bad(
          'an unknown incident',
          () => post(at(one.subject, 'incidents', 'iabcdefghijklmn', 'acknowledge')),
          2002,
          'Incident not found',
        ),
        bad(
          'an incident id that is a number',
          () => post(at(one.subject, 'incidents', '1', 'acknowledge')),
          2002,
          'Incident not found',
        ),
      ],
      t,
    )
  })

  t.test("a website's incident is none of a custom subject's", async t => {
    const { id } = await website('Down website')
    await world.report(id, 'aaaa', false)
    await world.report(id, 'bbbb', false)
    const [incident] = ok(await get(`/api/v2/incidents?workspace_id=${home}&monitor_id=${id}`))
    const { subject } = await open()
    t.match((await post(at(subject, 'incidents', incident.id, 'acknowledge'))).json.error, {
      code: 2002,
      message: 'Incident not found',
    })
  })
})

t.test('Maintenance', async t => {
  const inMs = (ms: number) => iso(world.clock.now() + ms)
  const start = async (subject: string, ms = 10 * minute) =>
    ok(await post(at(subject, 'maintenance'), { ends_at: inMs(ms) }, editor))

  t.test('a started window has exactly the fields and is read back; before it there is none', async t => {
    const subject = await made()
    t.equal(ok(await get(at(subject, 'maintenance'), viewer)), null)
    const window = {
      subject_id: subject,
      started_at: iso(world.clock.now()),
      ends_at: inMs(10 * minute),
      cancelled_at: null,
      active: true,
      muted: ['problem', 'no_data'],
      kind: 'maintenance_window',
    }
    t.strictSame(await start(subject), window)
    t.strictSame(ok(await get(at(subject, 'maintenance'), viewer)), window)
  })

  t.test('ends_at has a zone offset of its own', async t => {
    const subject = await made()
    const ends = new Date(world.clock.now() + 60 * minute + 2 * 60 * minute).toISOString().replace('Z', '+02:00')
    t.equal(ok(await post(at(subject, 'maintenance'), { ends_at: ends })).ends_at, inMs(60 * minute))
  })

  t.test('ends_at counts in whole milliseconds', async t => {
    const subject = await made()
    const fine = inMs(60 * minute).replace('Z', '999Z')
    t.equal(ok(await post(at(subject, 'maintenance'), { ends_at: fine })).ends_at, inMs(60 * minute))
  })

  t.test('a window runs and reads back its end when it ends in a far year', async t => {
    const subject = await made()
    const last = '9999-12-31T23:59:59.999Z'
    t.match(ok(await post(at(subject, 'maintenance'), { ends_at: last })), { ends_at: last, active: true })
    for (const ends_at of ['2099-01-01T00:00:00.001Z', '2255-06-05T23:47:34.741Z', '3000-02-28T12:00:00.003Z', last]) {
      t.equal(ok(await post(at(subject, 'maintenance', 'ends_at'), { ends_at })).ends_at, ends_at)
      t.match(ok(await get(at(subject, 'maintenance'))), { ends_at, active: true })
    }
    await world.clock.advance(60 * minute)
    t.match(ok(await get(at(subject, 'maintenance'))), { ends_at: last, active: true })
    t.match(ok(await remove(at(subject, 'maintenance'))), { ends_at: last, active: false })
  })

  t.test('moving the end keeps the window and its start', async t => {
    const subject = await made()
    const window = await start(subject)
    await world.clock.advance(minute)
    const moved = { ...window, ends_at: inMs(minute) }
    t.strictSame(ok(await post(at(subject, 'maintenance', 'ends_at'), { ends_at: inMs(minute) }, editor)), moved)
    t.strictSame(ok(await get(at(subject, 'maintenance'))), moved)
  })

  t.test('a cancelled window has cancelled_at and is not active; then there is none, and another may start', async t => {
    const subject = await made()
    const window = await start(subject)
    await world.clock.advance(minute)
    const cancelled = { ...window, cancelled_at: iso(world.clock.now()), active: false }
    t.strictSame(ok(await remove(at(subject, 'maintenance'), editor)), cancelled)
    t.equal(ok(await get(at(subject, 'maintenance'))), null)
    t.match(await start(subject), { active: true, started_at: iso(world.clock.now()) })
  })

  t.test('a window runs out by itself: then there is none, and nothing to move or cancel', async t => {
    const subject = await made()
    await start(subject)
    await world.clock.advance(10 * minute - 1)
    t.match(ok(await get(at(subject, 'maintenance'))), { active: true })
    await world.clock.advance(1)
    t.equal(ok(await get(at(subject, 'maintenance'))), null)
    t.match((await remove(at(subject, 'maintenance'))).json.error, { code: 2002, message: 'No maintenance window' })
  })

  t.test('monitoring goes on during a window', async t => {
    const { subject, slug } = await watched()
    await start(subject)
    ok(await report(subject, slug, { status: 'problem' }))
    await world.clock.advance(2 * minute + 1)
    t.match(await incidents(subject), [{ status: 'problem' }])
  })

  t.test('refusals', async t => {
    const quiet = await made()
    const subject = await made()
    await start(subject)
    const ends = (value: unknown, more: Record<string, unknown> = {}) =>
      post(at(quiet, 'maintenance'), { ends_at: value, ...more })
    const invalid = (title: string, value: unknown, details: string): Refusal => ({
      title,
      send: () => ends(value),
      code: 2001,
      message: 'invalid observed_at',
      details: `ends_at ${details}`,
    })
    const unreadable = 'must be an RFC 3339 timestamp such as 2026-01-02T15:04:05+01:00'
    const move = at(quiet, 'maintenance', 'ends_at')
    refuses(
      [
        invalid('ends_at missing', undefined, 'is required'),
        invalid('ends_at null', null, 'is required'),
        invalid('ends_at empty', '', unreadable),
        invalid('ends_at without zone', '2030-01-01T00:00:00', unreadable),
        invalid('ends_at that passed', iso(world.clock.now() - 1), 'must be in the future'),
        invalid('ends_at now', iso(world.clock.now()), 'must be in the future'),
        invalid('ends_at in the year 10000', '9999-12-31T23:59:59-00:01', unreadable),
        { title: 'ends_at of another type', send: () => ends(1_800_000_000), code: 2006, message: 'Invalid JSON' },
        {
          title: 'an unknown field',
          send: () => ends(iso(world.clock.now() + minute), { reason: 'x' }),
          code: 2006,
          message: 'Invalid JSON',
        },
        {
          title: 'a window by a viewer',
          send: () => post(at(quiet, 'maintenance'), {}, viewer),
          code: 2005,
          message: 'Access denied',
        },
        { title: 'a move by a viewer', send: () => post(move, {}, viewer), code: 2005, message: 'Access denied' },
        {
          title: 'a cancel by a viewer',
          send: () => remove(at(quiet, 'maintenance'), viewer),
          code: 2005,
          message: 'Access denied',
        },
        {
          title: 'a second start',
          send: () => post(at(subject, 'maintenance'), { ends_at: iso(world.clock.now() + minute) }),
          code: 2004,
          message: 'Already in maintenance',
        },
        {
          title: 'a move with nothing running',
          send: () => post(move, { ends_at: iso(world.clock.now() + minute) }),
          code: 2002,
          message: 'No maintenance window',
        },
        {
          title: 'a move into the past',
          send: () => post(at(subject, 'maintenance', 'ends_at'), { ends_at: iso(world.clock.now() - 1) }),
          code: 2001,
          message: 'invalid observed_at',
          details: 'ends_at must be in the future',
        },
        {
          title: 'a cancel with nothing running',
          send: () => remove(at(quiet, 'maintenance')),
          code: 2002,
          message: 'No maintenance window',
        },
      ],
      t,
    )
  })
})

t.test('A website that became custom', async t => {
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

  t.test('is served here, with the platform signal and the built-in rule first', async t => {
    t.match(ok(await get(at(slug))), { id: slug, subject_kind: 'custom', signal_count: 2, rule_count: 1 })
    t.strictSame(ok(await get(at(slug, 'signals'))), [
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
    t.strictSame(ok(await get(at(slug, 'rules', 'reachability'))), {
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
    t.ok(ok(await get(`${subjects}?workspace_id=${home}`)).some((subject: { id: string }) => subject.id === slug))
  })

  t.test('is served by the website routes no more', async t => {
    const answer = await get(`/api/v2/monitoring/websites/${id}`)
    t.match(answer.json.error, { code: 2004, message: 'Custom subjects are managed elsewhere' })
    t.match(answer.json.error.details, `/v2/subjects/${slug}`)
    const listed = ok(await get(`/api/v2/monitoring/websites?workspace_id=${home}`))
    t.notOk(listed.some((monitor: { id: string }) => monitor.id === id))
  })

  t.test('has rules over its own locations, by their names', async t => {
    const document = anyOf(statusOf(slug, { match: { location: 'fr' } }))
    const created = ok(await post(at(slug, 'rules'), { name: 'France', document }))
    t.strictSame(created.document.inputs, document.inputs)
    await world.report(id, 'aaaa', false)
    await world.report(id, 'bbbb', true)
    t.notOk((await incidents(slug)).some((incident: { rule_id: string }) => incident.rule_id === 'france'))
    await world.clock.advance(minute)
    await world.report(id, 'bbbb', false)
    t.ok((await incidents(slug)).some((incident: { rule_id: string }) => incident.rule_id === 'france'))
    t.ok((await incidents(slug)).some((incident: { rule_id: string }) => incident.rule_id === 'reachability'))
  })

  t.test('finds its locations by name as website monitors do, each input its own', async t => {
    const places = ['fr ', 'de', ' fr'].map(location => statusOf(slug, { match: { location } }))
    const created = ok(await post(at(slug, 'rules'), { name: 'Blanks', document: anyOf(...places) }))
    t.strictSame(
      created.document.inputs.map(({ match }: { match: { location: string } }) => match.location),
      ['fr', 'de', 'fr'],
    )
    ok(await remove(at(slug, 'rules', 'blanks')))
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

t.test('The session API: a website becomes custom, a custom subject is deleted', async t => {
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

  t.test('by its first signal', async t => {
    const { id, slug } = await website('Becomes by signal')
    const answer = await send('POST', `${id}/signals`, { name: 'Orders', kind: 'event', meta: { a: 1 } })
    t.equal(answer.status, 201, answer.text)
    t.match(answer.json, { id: 'orders', signal_kind: 'custom_event', subject_id: slug, meta: { a: 1 } })
    t.match(ok(await get(at(slug))), { signal_count: 2, rule_count: 1 })
    t.match((await get(`/api/v2/monitoring/websites/${id}`)).json.error, {
      code: 2004,
      message: 'Custom subjects are managed elsewhere',
    })
  })

  t.test('by its first authored rule', async t => {
    const { id, slug } = await website('Becomes by rule')
    const answer = await send('POST', `${id}/rules`, document(slug))
    t.equal(answer.status, 201, answer.text)
    t.match(answer.json, { id: 'mine', policy_version: 1, subject_id: slug })
    t.match(ok(await get(at(slug))), { signal_count: 1, rule_count: 2 })
  })

  t.test('a custom subject is deleted with its history, and its slug is free again', async t => {
    const { subject, slug } = await watched()
    ok(await report(subject, slug, { status: 'problem' }))
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

  t.test('refusals', async t => {
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
    t.match(ok(await get(`/api/v2/monitoring/websites/${id}`)), { id }, 'and it is a website still')
  })
})

t.test('Bounds and races', async t => {
  t.test('a match at its limits, and a slug of 64 characters beyond the basic plane, are taken', async t => {
    const name = '𝔵'.repeat(64)
    const subject = await made(name)
    t.equal(subject, name)
    t.equal(await made(name), `${name}-2`)
    t.equal(ok(await get(at(`${name}-2`))).id, `${name}-2`, 'also with a suffix')
    const slug = await signal(subject, name, 'event')
    const match = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`${i}${'🙂'.repeat(63)}`, '🙂'.repeat(256)]))
    const ruleSlug = await rule(subject, anyOf(statusOf(slug, { match })))
    t.strictSame(ok(await get(at(subject, 'rules', ruleSlug))).document.inputs[0].match, match)
    t.equal(ok(await report(subject, slug, { status: 'problem', labels: match })).accepted, true)
    t.match(await incidents(subject), [{ status: 'pending' }])
  })

  t.test('meta and bodies at their very limits are taken', async t => {
    const subject = await made()
    const create = (text: string) => raw(at(subject, 'signals'), text)
    const pad = 'x'.repeat(limits.subject.metaBytes - '{"pad":""}'.length)
    t.equal(ok(await create(JSON.stringify({ name: 'Meta', kind: 'event', meta: { pad } }))).meta.pad, pad)
    const wide = JSON.stringify({ name: 'Wide', kind: 'event', meta: { pad: pad.replace('xx', 'xя') } })
    t.match((await create(wide)).json.error, { message: 'Invalid meta' }, 'bytes are counted, not characters')
    const levels = limits.http.jsonDepth - 2
    ok(await create(`{"name":"Deep","kind":"event","meta":{"x":${'['.repeat(levels)}${']'.repeat(levels)}}}`))
    const body = '{"name":"Long","kind":"event"}'
    ok(await create(body.padEnd(limits.http.bodyBytes)))
    t.match((await create(body.padEnd(limits.http.bodyBytes + 1))).json.error, { code: 2006 })
  })

  t.test('a body is JSON in UTF-8, sent as it is; one without a type is taken for JSON', async t => {
    const subject = await made()
    const slug = await signal(subject, 'Beat', 'event')
    const path = at(subject, 'signals', slug, 'observations')
    const send = (headers: Record<string, string>, body: string | Uint8Array = '{"status":"ok"}') =>
      world.call('POST', path, { token: owner, raw: typeof body === 'string' ? new TextEncoder().encode(body) : body, headers })
    ok(await send({}))
    const types = [
      '',
      'application/json',
      'Application/JSON; charset=utf-8',
      'application/json ;x=1',
      'application/cloudevents+json',
    ]
    for (const type of types) ok(await send({ 'content-type': type }))
    ok(await send({ 'content-encoding': 'Identity' }))
    ok(await send({}, '{"status":"ok","error":"\\"[{","labels":{"[":"}"}}'))
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

  t.test('64 inputs are taken, and a document beyond its size is refused', async t => {
    const subject = await made()
    const slug = await signal(subject, 'Many', 'event')
    const inputs = Array.from({ length: 64 }, (_, i) => statusOf(slug, { match: { n: `${i}` } }))
    t.equal(ok(await post(at(subject, 'rules'), { name: 'Wide', document: anyOf(...inputs) })).document.inputs.length, 64)
    const large = inputs.map((input, i) => ({ ...input, match: { n: `${i}`, pad: 'x'.repeat(256), more: 'y'.repeat(256) } }))
    t.match((await post(at(subject, 'rules'), { name: 'Large', document: anyOf(...large) })).json.error, {
      message: 'Invalid rule document',
      details: 'document is larger than 32768 bytes',
    })
  })

  t.test('a subject that no longer fits an answer takes no more, and is read as before', async t => {
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
    t.equal(ok(await get(at(subject, 'signals'))).length, taken)
    t.ok(taken * 16_000 < limits.subject.viewBytes, 'counted in bytes, not in characters')
    const room = ok(await post(at(subject, 'signals'), { name: 'Slim', kind: 'event' })).id
    const grown = await post(at(subject, 'signals', room), { name: 'Slim', meta })
    t.match(grown.json.error, { code: 2004, message: 'Subject too large' })
    t.strictSame(ok(await get(at(subject, 'signals', room))).meta, {})
  })

  t.test('a subject has 100 signals and 100 rules at most', async t => {
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

  t.test('of two that make the same signal or rule at once one is refused', async t => {
    const subject = await made()
    const signals = await Promise.all([1, 2].map(() => post(at(subject, 'signals'), { name: 'Same', kind: 'event' })))
    t.strictSame(signals.map(answer => answer.json.error?.message ?? 'made').sort(), ['Signal name taken', 'made'])
    const document = anyOf(statusOf('same'))
    const rules = await Promise.all([1, 2].map(() => post(at(subject, 'rules'), { name: 'Same', document })))
    t.strictSame(rules.map(answer => answer.json.error?.message ?? 'made').sort(), ['Rule name taken', 'made'])
  })

  t.test('a signal deleted while a rule begins to cite it: one of the two is refused', async t => {
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

  t.test('two senders of one identity leave one row', async t => {
    const subject = await made()
    const slug = await signal(subject, 'Beat', 'event')
    const before = await world.store.count('pushedObservations', {})
    const observed_at = iso(world.clock.now())
    const answers = await Promise.all(['ok', 'problem'].map(status => report(subject, slug, { status, observed_at })))
    t.ok(answers.every(answer => answer.json.result.accepted))
    t.equal(await world.store.count('pushedObservations', {}), before + 1)
  })
})

t.test('A sender who comes again is known, and answered as one who is not', async t => {
  const refused = ({ json }: Answer) => [json.error?.code, json.error?.message]
  /** A subject with one signal on which `sender` has reported, so that its address is remembered. */
  const reportedOn = async (sender = editor) => {
    const subject = await made()
    const slug = await signal(subject, 'Job', 'event')
    ok(await report(subject, slug, { status: 'ok' }, sender))
    return { subject, slug }
  }
  const idOf = async (slug: string) =>
    (await world.store.find('subjects', { where: { slug, deletedAt: null }, limit: 1 }))[0]?.id ?? ''

  t.test('the next report asks the directory nothing', async t => {
    const { subject, slug } = await reportedOn()
    let asked = 0
    const listening = await world.bus.subscribe(bus.ask('find-subjects'), () => asked++)
    ok(await report(subject, slug, { status: 'problem' }, editor))
    t.equal(asked, 0)
    t.match(await report(subject, 'none', { status: 'ok' }, editor), { json: { error: { message: 'Signal not found' } } })
    t.equal(asked, 1, 'what is not remembered is looked up')
    await listening.close()
  })

  t.test('a viewer is refused, and then a broken body, in the order of the checks', async t => {
    const { subject, slug } = await reportedOn()
    t.equal((await report(subject, slug, {}, viewer)).json.error.code, 2005)
    t.strictSame(refused(await report(subject, slug, {}, editor)), [2001, 'invalid status'])
    t.equal((await raw(at(subject, 'signals', slug, 'observations'), '{')).json.error.code, 2006)
    ok(await report(subject, slug, { status: 'ok' }, editor))
  })

  t.test('who is no member learns nothing of it', async t => {
    const { subject, slug } = await reportedOn()
    t.strictSame(refused(await report(subject, slug, { status: 'ok' }, stranger)), [2002, 'Subject not found'])
    const path = `${at(subject, 'signals', slug, 'observations')}?workspace_id=${home}`
    t.equal((await post(path, { status: 'ok' }, stranger)).json.error.code, 2005)
  })

  t.test('a signal that was removed is not found, whoever asks with whatever body', async t => {
    const { subject, slug } = await reportedOn()
    ok(await remove(at(subject, 'signals', slug), editor))
    const answers = [
      await report(subject, slug, {}, viewer),
      await report(subject, slug, { status: 'strange' }, editor),
      await report(subject, slug, { status: 'ok' }, editor),
      await report(subject, slug, { status: 'ok' }, editor),
    ]
    for (const answer of answers) t.strictSame(refused(answer), [2002, 'Signal not found'])
  })

  t.test('a subject that was removed is not found; another of its slug is reported on', async t => {
    const { subject, slug } = await reportedOn()
    const keeper = createKeeperClient(world.bus, world.clock)
    await keeper.send(await idOf(subject), { kind: 'delete-subject', id: 'delete-known' })
    t.strictSame(refused(await report(subject, slug, { status: 'ok' }, editor)), [2002, 'Subject not found'])
    await world.clock.advance(2 * second)
    const next = 'nextOfSlug'
    await keeper.send(next, { kind: 'create-subject', id: 'create-next', workspaceId: home, slug: subject, name: subject })
    await signal(subject, 'Job', 'event')
    ok(await report(subject, slug, { status: 'ok' }, editor))
    t.equal(await countPushed(world.store, next), 1)
  })

  t.test('a slug that becomes ambiguous is refused, and named workspaces are kept apart', async t => {
    const { subject, slug } = await reportedOn(both)
    t.equal(await made(subject, other, both), subject)
    t.equal((await report(subject, slug, { status: 'ok' }, both)).json.error.message, 'Ambiguous subject')
    const inWorkspace = (id: string) => `${at(subject, 'signals', slug, 'observations')}?workspace_id=${id}`
    ok(await post(inWorkspace(home), { status: 'ok' }, both))
    t.strictSame(refused(await post(inWorkspace(other), { status: 'ok' }, both)), [2002, 'Signal not found'])
  })
})

t.test('every refusal that a route answered is one that its document names', async t => t.strictSame(undocumented, []))
