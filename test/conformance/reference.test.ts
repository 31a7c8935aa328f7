// The pages of docs/reference about generations 1 and 2, compared with the system: routes, refusals, messages, examples and bounds.

import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import t from 'tap'
import { data as httpData } from '#shared/checks/website/fields.ts'
import { day, hour, limits, minute, second } from '#shared/limits/limits.ts'
import { openApiDocument, refusalsOf } from '../../services/gateway/openapi/document.ts'
import { generations } from '../../services/gateway/openapi/generations.ts'
import { type ApiWorld, startApiWorld, version } from '../support/worlds/api-world.ts'

const names = ['envelope', 'website-monitors', 'custom-subjects', 'judging', 'incidents', 'messages'] as const
const pages = names.map(name => ({ name, text: readFileSync(`docs/reference/${name}.md`, 'utf8') }))
const lines = pages.flatMap(({ text }) => text.split('\n'))
const { v1, v2 } = generations
const routes = { ...v1.routes, ...v2.routes }
const grouped = (number: number): string => number.toLocaleString('en-US')

/** Routes that a page names in back-ticks: one or several methods before a path. The header of a table names the
 * beginning of each path in the table. */
function namedRoutes(page: string): string[] {
  let below = ''
  return page.split('\n').flatMap(line => {
    if (!line.includes('|')) below = ''
    if (line.includes('method and path')) below = /method and path below `([^`]+)`/.exec(line)?.[1] ?? ''
    return [...line.matchAll(/((?:`(?:GET|POST|DELETE)`(?:,| and) )*)`(GET|POST|DELETE) (\/[^`?]*)/g)].flatMap(
      ([, more = '', last = '', path = '']) => {
        const methods = [...[...more.matchAll(/[A-Z]+/g)].map(String), last]
        return methods.map(method => `${method} ${below}${path.replace(/^\/api/, '')}`)
      },
    )
  })
}

t.test('reference names exactly the routes of generations 1 and 2', async t => {
  const named = new Set(pages.flatMap(({ text }) => namedRoutes(text)))
  t.strictSame([...named].toSorted(), Object.keys(routes).toSorted())
})

t.test('reference names every refusal of a route with its code', async t => {
  const refusals = new Set(Object.values(routes).flatMap(route => refusalsOf(route)))
  const isNamed = (refusal: string) => {
    const [code = '', message = ''] = [refusal.slice(0, 4).trim(), refusal.replace(/^\d+ /, '')]
    return lines.some(line => line.includes(`\`${message}\``) && new RegExp(`\\b${code}\\b`).test(line))
  }
  t.ok(refusals.size > 50)
  t.strictSame(
    [...refusals].filter(refusal => !isNamed(refusal)),
    [],
  )
})

t.test('every example with a kind fits the schema of that kind', async t => {
  const document = openApiDocument(v2, version)
  const ajv = new Ajv2020({ strict: false }).addSchema({ ...document, $id: 'v2' })
  addFormats.default(ajv)
  const schemas = Object.entries(
    (document as { components: { schemas: Record<string, { properties?: { kind?: { const?: string } } }> } }).components.schemas,
  )
  const examples = pages
    .flatMap(({ text }) => [...text.matchAll(/```json\n([\s\S]*?)```/g)])
    .map(([, json = '']) => JSON.parse(json) as { kind?: string })
  const kinds = examples.flatMap(({ kind }) => kind ?? [])
  t.strictSame(kinds.toSorted(), ['incident', 'subject_rule', 'website_monitor'])
  for (const example of examples.filter(({ kind }) => kind !== undefined)) {
    const [name] = schemas.find(([, { properties }]) => properties?.kind?.const === example.kind) ?? []
    t.ok(ajv.validate({ $ref: `v2#/components/schemas/${name}` }, example), `${example.kind}: ${ajv.errorsText()}`)
  }
})

t.test('refusal of a website monitor has the details that the reference states', async t => {
  const world: ApiWorld = await startApiWorld()
  t.teardown(() => world.stop())
  const workspace_id = 'home000000'
  const { token } = await world.addPerson('owner', { [workspace_id]: 'owner' })
  const request = { url: 'https://shop.example', method: 'GET' }
  const response = { statuses: [200] }
  const long = 'x'.repeat(70_000)
  const faults = [
    ...[{ name: '' }, { name: long }, { name: 'a\u200bb' }, { interval: 61 }, { request: undefined }],
    ...[{ url: 'ftp://x' }, { method: 'TRACE' }, { content_type: 'text' }, { data: long }].map(change => ({
      request: { ...request, ...change },
    })),
    ...[{ statuses: [] }, { body: { content: long } }].map(change => ({ response: { ...response, ...change } })),
    ...[{ locations: Array(65).fill('de') }, { agreement: 'most' }],
  ]
  const returned: string[] = []
  for (const fault of faults) {
    const body = { name: 'Shop', interval: 60, workspace_id, request, response, ...fault }
    const { json } = await world.call('POST', '/api/v2/monitoring/websites', { token, body })
    t.equal(json.error.code, 2001)
    returned.push(json.error.details)
  }
  const [, page = ''] = (pages[1]?.text ?? '').split('## 4. Refusals')
  const named = [...page.matchAll(/`(Field '[^`]*|agreement must [^`]*)`/g)].map(([, details = '']) => details)
  t.strictSame([...new Set(named)].toSorted(), returned.toSorted())
})

/** The sentences that state a bound, by page and rule. */
const bounds: [page: (typeof names)[number], rule: string, stated: string][] = [
  ['envelope', '1.4', `${limits.key.lifeMs / day} days`],
  ['envelope', '5.1', `${grouped(limits.http.bodyBytes)} bytes`],
  ['envelope', '5.1', `${grouped(limits.http.headerBytes)} bytes`],
  ['envelope', '5.1', `${limits.http.jsonDepth} levels`],
  ['envelope', '6.1', `${limits.http.answerMs / second} s`],
  ['envelope', '6.2', `${limits.http.headersMs / second} s for the headers and ${limits.http.requestMs / second} s`],
  [
    'envelope',
    '6.2',
    `for ${limits.http.stalledMs / second} s is closed. An idle connection is kept for ${limits.http.keepAliveMs / second} s`,
  ],
  [
    'envelope',
    '6.4',
    `${grouped(limits.http.connections)} connections at once. At most ${limits.http.connectionsPerClient} connections of`,
  ],
  ['website-monitors', '2.1', `at most ${grouped(httpData.bytes)} bytes`],
  [
    'website-monitors',
    '5.2',
    `A connection has ${limits.check.connectMs / second} s, a TLS handshake ${limits.check.tlsMs / second} s`,
  ],
  ['website-monitors', '5.2', `the whole check ${limits.check.totalMs / second} s`],
  ['website-monitors', '5.6', `at most ${limits.check.errorCharacters} characters`],
  [
    'website-monitors',
    '5.7',
    `${limits.retention.checksMs / day} days, their roll-ups for ${limits.retention.rollUpsMs / day} days`,
  ],
  ['custom-subjects', '1.6', `${limits.directory.slugCharacters} characters`],
  ['custom-subjects', '1.7', `up to ${limits.subject.ambiguous} of them`],
  ['custom-subjects', '1.9', `at most ${limits.subject.nameCharacters} characters`],
  ['custom-subjects', '2.5', `${grouped(limits.subject.metaBytes)} bytes`],
  ['custom-subjects', '2.8', `the subject has ${limits.subject.signals} |`],
  ['custom-subjects', '2.8', `${limits.subject.viewBytes / 1_024} KiB`],
  ['custom-subjects', '3.3', `at most ${limits.policy.inputs};`],
  ['custom-subjects', '3.4', `at most ${limits.policy.durationMs / day} days`],
  [
    'custom-subjects',
    '3.7',
    `at most ${limits.policy.bytes / 1_024} KiB as it is stored. A subject has at most ${limits.subject.rules} rules`,
  ],
  ['custom-subjects', '4.3', `${grouped(limits.pushed.errorCharacters)} characters`],
  ['custom-subjects', '4.4', `at most ${limits.pushed.labels}. A key has 1 to ${limits.pushed.labelKeyCharacters} characters`],
  ['custom-subjects', '4.4', `a value at most ${limits.pushed.labelValueCharacters}`],
  ['custom-subjects', '4.6', `more than ${limits.intake.clockSkewMs / second} s in the future`],
  ['custom-subjects', '4.6', `older than ${limits.intake.lateMs / hour} h`],
  ['custom-subjects', '4.10', `${limits.retention.pushedMs / day} days`],
  ['judging', '2.4', `${limits.judging.websiteGraceMs / second} s`],
  ['judging', '3.4', `${limits.judging.heartbeatSilentMs / minute} minutes`],
  ['judging', '6.1', `at most ${limits.judging.evidenceInputs}`],
  ['judging', '6.2', `cut to ${limits.judging.reasonCharacters} characters`],
  ['incidents', '3.5', `${limits.policy.holdMs / minute} minutes each`],
  ['incidents', '7.4', `${limits.retention.incidentsMs / day} days`],
  ['messages', '1.4', `1 to ${limits.destination.nameCharacters} characters`],
  ['messages', '1.4', `at most ${grouped(limits.destination.urlCharacters)} characters`],
  ['messages', '1.4', `at most ${limits.destination.channelCharacters} characters`],
  ['messages', '1.9', `at most ${limits.notifier.testMs / second} s`],
  ['messages', '1.10', `at most ${limits.destination.perWorkspace} destinations`],
  ['messages', '2.4', `more than ${limits.keeper.reminderLateMs / minute} minute late`],
  [
    'messages',
    '3.3',
    `1 to ${grouped(limits.template.bytes)} bytes, and its result at most ${grouped(limits.template.outputBytes)}`,
  ],
  ['messages', '3.3', `A workspace has at most ${limits.template.perWorkspace}`],
  ['messages', '3.6', `at most ${grouped(limits.notifier.explanationCharacters)} characters`],
  ['messages', '5.3', `at most ${limits.notifier.errorCharacters} characters`],
  ['messages', '5.6', `texts of at most ${limits.notifier.evidence.textCharacters} characters`],
  ['messages', '6.2', `1 to ${grouped(limits.deliveries.listed)}`],
  ['messages', '6.5', `${limits.notifier.logMs / day} days`],
  ['messages', '7.1', `An attempt has ${limits.notifier.sendMs / second} s`],
  [
    'messages',
    '7.3',
    `is ${limits.notifier.retryMs / second} s. Each further pause is twice as long, up to ${limits.notifier.retryMsMax / minute} minutes`,
  ],
  [
    'messages',
    '7.4',
    `${limits.notifier.giveUpMs / hour} h after its message was decided. A delivery that a notifier took up late is tried for at least ${limits.notifier.giveUpMsLeast / hour} h`,
  ],
]

/** Returns the text of a rule of the reference, including its tables, with single blanks in place of line breaks. */
function ruleText(page: string, rule: string): string {
  const [section = '', number = ''] = rule.split('.')
  const [, after = ''] = page.split(new RegExp(`^## ${section}\\. `, 'm'))
  const [own = ''] = after.split(/^## /m)
  const [, begun = ''] = own.split(new RegExp(`^${number}\\. `, 'm'))
  return (begun.split(/^\d+\. /m)[0] ?? '').replace(/\s+/g, ' ')
}

t.test('bounds that the reference states equal the bounds of the system', async t => {
  for (const [name, rule, stated] of bounds) {
    const { text = '' } = pages.find(page => page.name === name) ?? {}
    t.ok(ruleText(text, rule).includes(stated), `reference/${name} ${rule}: ${stated}`)
  }
})
