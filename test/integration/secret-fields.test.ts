// A marker is planted in every secret field of every registered kind of check, and of every type of destination that can be aimed at the
// test, those of tests included. No door shows one: messages, log, export, audit, metrics, refusals, and all that a viewer and scoped keys read
// or get as answers.
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { channels } from '#shared/channels/registry.ts'
import type { CheckKind } from '#shared/checks/check-kind.ts'
import { checkKinds, offeredKinds } from '#shared/checks/registry.ts'
import { sessionDocument } from '../../services/gateway/openapi/session-document.ts'
import { echo as echoChannel } from '../channels/echo/channel.ts'
import { echo as echoKind } from '../checks/echo/kind.ts'
import { openBrowser } from '../support/clients/browser.ts'
import { startPreloaded } from '../support/worlds/preloaded-program.ts'

const registers = ['channels', 'checks'].map(folder => join(import.meta.dirname, '..', folder, 'register-echo.ts'))
const installation = await startPreloaded(t, registers)
const { program, folder, url, key, workspace, api, command } = installation
const inWorkspace = `/v3/workspaces/${workspace}`
const resources = `${inWorkspace}/resources`
const destinations = `${inWorkspace}/destinations`

/** A field as `GET /checks` and `GET /channels` list it. */
interface Listed {
  key: string
  type: string
  secret: boolean
  required: boolean
  options: string[]
  min: number | null
  top?: true
}
interface ListedType {
  type: string
  fields: Listed[]
}
const listedKinds: ListedType[] = (await api('GET', '/v3/checks')).result.map((kind: { type: string; options: Listed[] }) => ({
  ...kind,
  fields: kind.options,
}))
const listedChannels: ListedType[] = (await api('GET', '/v3/channels')).result
const secretsOf = (types: readonly { type: string; fields: readonly { key: string; secret: boolean }[] }[]) =>
  types.flatMap(({ type, fields }) => fields.filter(({ secret }) => secret).map(field => `${type}.${field.key}`))
const [{ id: location }] = (await api('GET', '/v3/locations')).result

/** Texts of each door, by its name. */
const doors = new Map<string, string[]>()
const shows = (door: string, ...texts: string[]) => doors.set(door, [...(doors.get(door) ?? []), ...texts])

/** The far end of all channels, and what monitors of addresses look at. It answers with everything that it got. */
const bodies: string[] = []
/** Addresses, headers and bodies of messages, which may hold a secret of their channel. */
const envelopes: string[] = []
const farEnd = createServer(async (request, response) => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const body = Buffer.concat(chunks).toString()
  const envelope = `${request.url} ${JSON.stringify(request.headers)}`
  response.writeHead(500, 'Sorry').end(`no: ${envelope} ${body}`)
  if (request.url === '/watched') return
  bodies.push(body)
  envelopes.push(envelope, body)
  farEnd.emit('message')
})
await new Promise<void>(resolve => farEnd.listen(0, '127.0.0.1', resolve))
t.teardown(() => {
  farEnd.closeAllConnections()
  farEnd.close()
})
const server = `http://127.0.0.1:${(farEnd.address() as AddressInfo).port}`
/** Resolves when a message holds the text in any case; rejects after 30 s without a message. */
async function told(text: string): Promise<void> {
  while (!bodies.some(body => body.toLowerCase().includes(text.toLowerCase()))) {
    await once(farEnd, 'message', { signal: AbortSignal.timeout(30_000) })
  }
}

/** What the owner read of monitors, whose secrets an owner may read. */
const stored: string[] = []

/** Where each marker was planted. */
const planted = new Map<string, string>()
function marker(place: string): string {
  const mark = `planted${planted.size}mark`
  planted.set(mark, place)
  return mark
}

const sealed = 'sealed '
const placeOf = (of: string, { key, type }: Listed) => `${type === 'secret' ? sealed : ''}${of}.${key}`

/** Returns a value of each field that is secret or required; of a secret, it holds a marker. */
const valuesOf = ({ type, fields }: ListedType): Record<string, unknown> =>
  Object.fromEntries(
    fields
      .filter(({ secret, required, type }) => secret || required || type === 'url')
      .map(field => [field.key, answerTo(field, field.secret ? marker(placeOf(type, field)) : 'cuckoo')]),
  )

function answerTo({ type, options, min }: Listed, text: string): unknown {
  if (type === 'url') return `${server}/${text === 'cuckoo' ? 'watched' : text}`
  if (type === 'boolean') return true
  if (type === 'enum') return options[0]
  // Also a line of a header, if it must be one.
  if (type === 'secret') return `X-${text}:${text}`
  if (type === 'string_list') return [`X:${text}`]
  return type === 'string' || type === 'text' ? text : (min ?? 1)
}

/** Returns the answers that fit each other; in every second turn, those that exclude them instead. */
function fitting({ fields, refuse }: CheckKind, answers: Record<string, unknown>, turn: number): Record<string, unknown> {
  const kept = { ...answers }
  const excluded: Record<string, unknown> = {}
  for (let refused = refuse?.(kept); refused; refused = refuse?.(kept)) {
    excluded[refused.key] = kept[refused.key]
    delete kept[refused.key]
  }
  if (turn % 2 === 0 || Object.keys(excluded).length === 0) return kept
  const required = fields.filter(field => field.required).map(({ key }) => [key, answers[key]])
  return { ...Object.fromEntries(required), ...excluded }
}

/** Settings with a form of their own. */
const fittingSettings: Readonly<Record<string, object>> = { telegram: { chat_id: '-1001' } }

/** Settings that exclude others; tests of their channels use them. */
const excluded = new Set(['ntfy.user', 'ntfy.password'])

/** Answers without which no check is made, beside those to the fields of its kind. */
const watchingOf = ({ watch }: CheckKind) => {
  const all = { locations: [location], confirm_after: 0, recover_after: 0, interval_value: 1 }
  return Object.fromEntries(Object.entries(all).filter(([key]) => watch.some(field => field.key === key)))
}
interface ListedTemplate {
  id: string
  own: CheckKind
  kind: ListedType
  watching: Record<string, unknown>
}
const templates: ListedTemplate[] = [...checkKinds(), echoKind].flatMap(own =>
  own.templates.map(({ key, version }) => ({
    ...{ id: `${key}@${version}`, own, watching: watchingOf(own) },
    kind: listedKinds.find(({ type }) => type === own.key) ?? unlisted(own),
  })),
)

/** Returns a kind that is offered no more, as it would be listed. */
function unlisted({ key, fields }: CheckKind): ListedType {
  return { type: key, fields: fields.map(field => ({ ...field, options: [...field.options] })) }
}

const scopes = ['', 'observe', 'templates', 'resources', 'acknowledge,maintenance,observe,templates,resources']
/** Keys of readers with few rights, by their names. */
const readers: Record<string, string> = {}

t.before(async () => {
  await command(['member', 'create', 'vera', '--workspace', workspace, '--role', 'viewer'])
  const made = async (...words: string[]) => (await command(['key', 'create', '--description', 'x', ...words])).stdout.trim()
  readers['a viewer'] = await made('--user', 'vera')
  for (const actions of scopes) readers[`a key for "${actions}"`] = await made('--workspace', workspace, '--actions', actions)
})

t.test('every secret field of the registries is known as one', async t => {
  const ofKinds = [...offeredKinds(), echoKind].map(({ key, fields }) => ({ type: key, fields }))
  const ofChannels = [...channels, echoChannel].map(({ type, fields }) => ({
    ...{ type, fields: fields.map(field => ({ key: field.key, secret: field.mark === 'secret' })) },
  }))
  t.strictSame(secretsOf(listedKinds), secretsOf(ofKinds))
  t.strictSame(secretsOf(listedChannels), secretsOf(ofChannels))
  t.ok(secretsOf(listedKinds).length >= 3 && secretsOf(listedChannels).length >= 3)
})

t.test('monitors of every kind are made, changed and refused, and every channel tells of them', async t => {
  const streams = new AbortController()
  t.teardown(() => streams.abort())
  for (const [reader, token] of Object.entries(readers)) void listen(reader, token, streams.signal)
  const scoped = readers[`a key for "${scopes.at(-1)}"`] as string
  const aimed = listedChannels.filter(({ fields }) => fields.some(({ type }) => type === 'url'))
  for (const [i, channel] of aimed.entries()) {
    const { type, fields } = channel
    const together = { type, fields: fields.filter(field => !excluded.has(`${type}.${field.key}`)) }
    // The first channels get so many messages that a digest would tell them late.
    const alone = fields.some(({ key }) => key === 'digest') ? { digest: false } : {}
    const values = Object.entries({ ...valuesOf(together), ...fittingSettings[type], ...alone })
    const isTop = ([name]: [string, unknown]) => channel.fields.some(field => field.key === name && field.top)
    const own = values.filter(entry => !isTop(entry))
    const settings = own.length === 0 ? {} : { settings: Object.fromEntries(own) }
    const body = { name: `To ${channel.type}`, type: channel.type, ...Object.fromEntries(values.filter(isTop)), ...settings }
    const { result, error } = await api('POST', destinations, body)
    t.equal(error, null, channel.type)
    shows('answers about destinations', JSON.stringify(result))
    shows('answers about destinations', (await api('PATCH', `${destinations}/${result.id}`, { default: true })).text)
    shows('answers about destinations', (await api('POST', `${destinations}/${result.id}/test`, {})).text)
    // All kinds of checks at the first channels, and one at each other one.
    const some = i < 3 ? templates : templates.filter((_, n) => n === i % templates.length)
    for (const { id: template, own: ofKind, kind, watching } of some) {
      const meta = fitting(ofKind, valuesOf(kind), i)
      const name = `Watched ${i} ${kind.type}`
      // A scoped key makes every second one.
      const as = i % 2 === 1 ? scoped : key
      const made = await api('POST', resources, { template, name, meta: { ...meta, ...watching } }, as)
      t.equal(made.status, 201, `${name}: ${made.text}`)
      if (as !== key) shows('answers to a scoped key', made.text)
      const report = { signal: made.result.signals[0].key, state: 'problem', reason: 'It fails.' }
      await api('POST', `${resources}/${made.result.id}/observations`, report)
      await told(name)
      const one = `${resources}/${made.result.id}`
      stored.push((await api('GET', one)).text)
      const others = valuesOf(kind)
      const secrets = kind.fields.filter(({ key, secret }) => secret && key in meta).map(({ key }) => [key, others[key]])
      const changed = await api('PATCH', one, { meta: Object.fromEntries(secrets) })
      t.equal(changed.status, 200, `${name}: ${changed.text}`)
      stored.push(changed.text)
    }
  }
  for (const { id: template, kind, watching } of templates) {
    const required = kind.fields.filter(field => field.required)
    const usual = Object.fromEntries(required.map(field => [field.key, answerTo(field, 'cuckoo')]))
    for (const field of kind.fields.filter(({ secret }) => secret)) {
      const mark = marker(`a refused ${kind.type}.${field.key}`)
      for (const value of [{ [mark]: mark }, mark.repeat(8_000), [mark, 1]]) {
        const meta = { ...usual, ...watching, [field.key]: value }
        const refused = await api('POST', resources, { template, name: 'Refused', meta })
        t.match(refused, { status: 422, error: { details: { field: field.key } } }, `${kind.type}.${field.key}`)
        shows('refusals', refused.text)
      }
    }
  }
  for (const { type, fields } of listedChannels) {
    for (const field of fields.filter(({ secret }) => secret)) {
      const value = { [field.key]: [marker(`a refused ${type}.${field.key}`)] }
      const refused = await api('POST', destinations, { name: 'Refused', type, ...(field.top ? value : { settings: value }) })
      t.ok(refused.status === 400 || refused.status === 422, `${type}.${field.key}`)
      shows('refusals', refused.text)
    }
  }
})

/** Reads the stream of events until the signal. */
async function listen(reader: string, token: string, signal: AbortSignal): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  try {
    const response = await fetch(`${url}/api${inWorkspace}/events`, { headers, signal })
    for await (const chunk of response.body ?? []) shows(`the stream of events, to ${reader}`, Buffer.from(chunk).toString())
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** Returns the values of the parameters of paths, by name. */
async function idsByParameter(): Promise<Record<string, string[]>> {
  const idsOf = async (path: string, member = 'id'): Promise<string[]> =>
    (await api('GET', path)).result.map((one: Record<string, string>) => one[member])
  const resourceIds = await idsOf(resources)
  const incident = await idsOf(`${inWorkspace}/incidents`)
  return {
    ...{ workspace: [workspace], workspaceId: [workspace] },
    ...{ resource: resourceIds, monitorId: resourceIds, monitor_id: resourceIds, uid: resourceIds, subjectId: resourceIds },
    ...{ incident, incidentId: incident, incident_id: incident },
    ...{ destination: await idsOf(destinations), destination_id: ['1', '2', '3'] },
    ...{ template: [...templates.map(({ id }) => id)] },
    ...{ machine: ['incident'], form: ['layout'] },
    id: [...resourceIds, ...(await idsOf(destinations)), '1'],
    // Nothing of this name exists, and a refusal may hold no secret either.
    ...{ subject: ['nothing'], signal: ['nothing'], rule: ['nothing'], template_id: ['1'] },
  }
}

/** Returns every path that the parameters of the template can name; none for a parameter without a value. */
function filled(path: string, ids: Record<string, string[]>): string[] {
  const [, name] = /\{(\w+)\}/.exec(path) ?? []
  if (name === undefined) return [path]
  return (ids[name] ?? []).flatMap(id => filled(path.replace(`{${name}}`, encodeURIComponent(id)), ids))
}

const isStream = (path: string) => path.endsWith('/events')
const readsOf = ({ paths }: { paths: Record<string, object> }) =>
  Object.entries(paths).flatMap(([path, methods]) => ('get' in methods && !isStream(path) ? [path] : []))

t.test('all that viewers and scoped keys read is gathered', async t => {
  const ids = await idsByParameter()
  const queryOf = (path: string) => {
    if (path.endsWith('/figures')) return `?resources=${(ids['resource'] ?? []).join(',')}`
    return path.includes('/v3/') ? '' : `?workspace_id=${workspace}`
  }
  for (const version of ['v1', 'v2', 'v3']) {
    const document = JSON.parse(await (await fetch(`${url}/api/openapi/${version}.json`)).text())
    const root = new URL(document.servers?.[0]?.url ?? '/', `${url}/api/openapi/`).href.replace(/\/$/, '')
    for (const path of readsOf(document)) {
      const all = filled(path, ids)
      t.ok(all.length > 0, `the test has values for ${path}`)
      for (const one of all) {
        t.notMatch(await textOf(root + one + queryOf(path), key), /There is no such route/, `there is ${one}`)
        for (const [reader, token] of Object.entries(readers)) {
          shows(`GET ${path}, to ${reader}`, await textOf(root + one + queryOf(path), token))
        }
      }
    }
  }
  await command(['member', 'password', 'vera'], {}, 'a long password of vera\n')
  const browser = openBrowser(url, { [new URL(url).host]: url })
  const signedIn = await browser.send('POST', '/session/sign-in', {
    body: { username: 'vera', password: 'a long password of vera' },
  })
  t.equal(signedIn.status, 200)
  const ofSession = readsOf(sessionDocument('1') as unknown as { paths: Record<string, object> })
  for (const path of ofSession.filter(one => !one.includes('oidc'))) {
    const all = filled(path, ids)
    t.ok(all.length > 0, `the test has values for ${path}`)
    for (const one of all) shows(`GET ${path}, to a viewer`, (await browser.send('GET', one)).text)
  }
  for (const id of ids['resource'] ?? []) shows("a viewer's page", (await browser.send('GET', `/monitors/${id}`)).text)
})

async function textOf(address: string, token: string): Promise<string> {
  return (await fetch(address, { headers: { authorization: `Bearer ${token}` } })).text()
}

t.test('no door shows a secret', async t => {
  // A body may hold the secrets of its own destination, and nothing else that was planted.
  const ofChannels = [...planted].filter(([, place]) => listedChannels.some(({ type }) => place.startsWith(`${type}.`)))
  shows('messages', ...bodies.map(body => ofChannels.reduce((text, [mark]) => text.replaceAll(mark, ''), body)))
  for (const path of ['/deliveries', '/audit'])
    shows(`${path} of the workspace, to its owner`, (await api('GET', inWorkspace + path)).text)
  for (const words of [
    ['audit', '--json'],
    ['destination', 'list', '--json'],
    ['check', 'kinds'],
  ]) {
    const { stdout, stderr } = await command(words)
    shows(`the command ${words.join(' ')}`, stdout, stderr)
  }
  const exported = join(folder, 'exported')
  const { stdout, stderr } = await command(['export', exported])
  shows('export', stdout, stderr)
  for (const file of readdirSync(exported, { recursive: true, withFileTypes: true })) {
    if (file.isFile()) shows('export', readFileSync(join(file.parentPath, file.name), 'utf8'))
  }
  const [, ops] = /(http:\/\/[^\s"]+)\/metrics/.exec(program.output()) ?? []
  shows('metrics', await (await fetch(`${ops}/metrics`)).text())
  shows('log', program.output())

  for (const [door, texts] of doors) {
    const all = texts.join('\n')
    t.ok(all.length > 0, `${door} was opened`)
    t.strictSame(
      [...planted].filter(([mark]) => formsOf(mark).some(form => all.includes(form))).map(([, place]) => place),
      [],
      door,
    )
  }
  t.ok(doors.size > 100, `${doors.size} doors`)
  // They were planted indeed.
  const used = [...stored, ...envelopes].join('\n')
  for (const [mark, place] of planted) {
    if (place.startsWith(sealed)) t.notOk(used.includes(mark), `${place} is shown to nobody`)
    else if (!place.startsWith('a refused')) t.ok(used.includes(mark), `${place} is stored and used`)
  }
})

t.test('no file of the data folder holds a sealed secret', async t => {
  const marks = [...planted].filter(([, place]) => place.startsWith(sealed))
  t.ok(marks.length > 0)
  for (const file of readdirSync(join(folder, 'data'), { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue
    const content = readFileSync(join(file.parentPath, file.name), 'latin1')
    for (const [mark, place] of marks) {
      t.notOk(
        formsOf(mark).some(form => content.includes(form)),
        `${file.name}: ${place}`,
      )
    }
  }
})

/** Returns the marker as texts hold it: plain, which is also its form in JSON and in addresses, and in base64 behind any other bytes. */
const formsOf = (mark: string): string[] => [
  mark,
  ...[0, 1, 2].map(before =>
    Buffer.from(`${'x'.repeat(before)}${mark}`)
      .toString('base64')
      .slice(before === 0 ? 0 : 4, -4),
  ),
]
