// Secrets in responses of generation 3: which readers see them, and which readers see them redacted. Reference: docs/reference/v3.md, 11.2.
import t from 'tap'
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import type { BuiltInTemplate, TemplateField } from '#shared/contracts/resources/template.ts'
import { findSystemTemplate } from '#shared/manifest/system-templates.ts'
import { redactedAnswer, redactedAnswers } from '#shared/secrecy/redacted-answers.ts'
import { hashToken, makeToken } from '#shared/tokens/api-token.ts'
import { templateObject } from '../../../services/gateway/v3/templates/template-object.ts'
import { type ApiWorld, startApiWorld } from '../../support/worlds/api-world.ts'

const websiteCheck = findSystemTemplate('website-check') as BuiltInTemplate

const stored = 'https://me:hidden@shop.example/pay?n=1&api_key=hidden&session=#top'
const shown = 'https://shop.example/pay?n=1&api_key=redacted&session=#top'

let world: ApiWorld
/** Each reader: title, key, and true if the responses show the stored value unredacted. */
const readers: [title: string, token: string, isFull: boolean][] = []

t.before(async () => {
  world = await startApiWorld()
  const { ask } = createDirectoryClient(world.hub.connect(), world.clock)
  for (const role of ['owner', 'editor', 'viewer'] as const) {
    const { token } = await world.addPerson(role, { w1: role })
    readers.push([role, token, role !== 'viewer'])
    const scoped = makeToken()
    const key = { id: `scoped${role}`, description: '', tokenHash: hashToken(scoped), prefix: 'wk_', userId: `user-${role}` }
    await ask('create-key', { ...key, scope: { workspaceId: 'w1', actions: ['resources', 'maintenance', 'templates'] } })
    readers.push([`scoped key of ${role}`, scoped, false])
  }
  // This person is a viewer of the workspace `w1` and an owner of the workspace `w2`.
  const { token } = await world.addPerson('elsewhere', { w1: 'viewer', w2: 'owner' })
  readers.push(['viewer who owns another workspace', token, false])
  const made = await world.addSubject({ id: 'Shop000001', workspaceId: 'w1', slug: 'shop' })
  const bare = { ...made, id: 'Bare000001', slug: 'bare' }
  for (const subject of [{ ...made, check: { ...made.check!, url: stored, data: 'hidden' } }, bare])
    await world.addSubject(subject)
})
t.teardown(() => world.stop())

t.test('secret and URL are readable with a full key of an editor or owner, and otherwise redacted (v3 11.2)', async t => {
  for (const [title, token, isFull] of readers) {
    const listed = await world.call('GET', '/api/v3/workspaces/w1/resources', { token })
    const read = await world.call('GET', '/api/v3/workspaces/w1/resources/shop', { token })
    const expected = isFull ? { url: stored, data: 'hidden' } : { url: shown, data: '[redacted]' }
    for (const { meta } of [listed.json.result.find(({ key }: { key: string }) => key === 'shop'), read.json.result]) {
      t.match(meta, { ...expected, method: 'GET', confirm_after: 120 }, title)
      t.strictSame(Object.keys(meta).sort(), websiteCheck.fields.map(({ key }) => key).sort(), 'every field')
    }
    const bare = listed.json.result.find(({ key }: { key: string }) => key === 'bare')
    t.match(bare.meta, { url: 'https://example.test/', data: '' }, 'without secrets everybody reads the same')
    if (!isFull) t.notMatch(JSON.stringify([listed.json, read.json]), /hidden/, title)
  }
})

t.test('creation by a scoped key returns redacted `meta` values (v3 11.2)', async t => {
  const { ask } = createDirectoryClient(world.hub.connect(), world.clock)
  const { id } = await ask('ensure-location', { name: 'berlin' })
  const token = readers.find(([title]) => title === 'scoped key of editor')?.[1] as string
  const meta = { url: stored, data: 'hidden', locations: [id], interval_value: 1 }
  const body = { template: 'website-check', name: 'Made', meta }
  const { status, json } = await world.call('POST', '/api/v3/workspaces/w1/resources', { token, body })
  t.equal(status, 201)
  t.match(json.result.meta, { url: shown, data: '[redacted]' })
})

const field = (more: Partial<TemplateField>): TemplateField => ({ ...(websiteCheck.fields[0] as TemplateField), ...more })

t.test('defaults of secrets and URLs are redacted like `meta` values (v3 11.2)', async t => {
  const fields = [
    field({ key: 'token', type: 'string', secret: true, default: 'hidden' }),
    field({ key: 'empty', type: 'string', secret: true, default: '' }),
    field({ key: 'none', type: 'string', secret: true, default: null }),
    field({ key: 'number', type: 'integer', secret: true, default: 0 }),
    field({ key: 'address', type: 'url', default: stored }),
    field({ key: 'text', type: 'string', default: stored }),
  ]
  const planted: BuiltInTemplate = { ...websiteCheck, fields }
  const defaults = (isRedacted: boolean) => templateObject(planted, isRedacted).fields.map(one => one.default)
  t.strictSame(defaults(false), ['hidden', '', null, 0, stored, stored])
  t.strictSame(defaults(true), ['[redacted]', '', null, '[redacted]', shown, shown])
  t.strictSame(redactedAnswers(fields, { token: 'x', address: stored, other: 1 }), {
    token: '[redacted]',
    address: shown,
    other: 1,
  })
  t.equal(redactedAnswer(field({ type: 'url' }), 'no URL hidden'), '', 'what cannot be read is not shown')
  for (const [title, token] of readers) {
    for (const path of ['/templates', '/workspaces/w1/templates']) {
      t.equal((await world.call('GET', `/api/v3${path}`, { token })).status, 200, `${title} ${path}`)
    }
  }
})
