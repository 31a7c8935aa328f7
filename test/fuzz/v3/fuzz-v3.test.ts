// A short form of `npm run fuzz -- --api v3`: every route of generation 3 responds as its record and its document say, to every request of
// every caller. The test also plants faults in responses: the judge must find each of them. Reference: docs/reference/v3.md, section 1.
import t from 'tap'
import { fakeProberIssuer } from '../../support/worlds/fake-prober-issuer.ts'
import { startInstallation } from '../installation.ts'
import { fuzzV3 } from './fuzz.ts'
import { judgeV3, type Situation, type V3Answered, type V3Request } from './judge.ts'
import type { V3Operation } from './operations.ts'

const [seed, cases] = [20_260_103, 1_300]

t.test(`${cases} requests made from the records of the routes get only documented responses (v3 1.4, seed ${seed})`, async t => {
  const installation = await startInstallation('2.0.0', fakeProberIssuer)
  t.teardown(() => installation.stop())
  const report = await fuzzV3(installation, { seed, cases })
  const told = report.findings.map(({ request, offences, answer }) => ({
    offences,
    request: `${request.method} ${request.path.slice(0, 200)} (${request.broken.join()}) ${String(request.body).slice(0, 300)}`,
    answer,
  }))
  t.strictSame(told, [])
  t.ok(report.cases >= cases)
  t.strictSame(report.unanswered, [], 'every operation succeeded with a result that fits its schema')
  t.ok(report.refusals.size >= 40, `${report.refusals.size} kinds of refusal`)
})

const caller = { title: 'viewer', token: 'wk_viewer', role: 'viewer' as const, actions: null }
const request: V3Request = {
  method: 'POST',
  path: '/api/v3/things',
  headers: {},
  body: '{"name":"a"}',
  broken: [],
  caller,
  wanted: null,
}
const fits = Object.assign(() => true, { errors: null }) as never
const [yes, no] = [fits, Object.assign(() => false, { errors: [] }) as never]
const found = (judge = yes): V3Operation => ({
  name: 'POST /v3/things',
  method: 'POST',
  path: '/v3/things',
  route: null,
  body: null,
  answers: new Map([200, 400, 422].map(status => [status, judge])),
  success: 200,
  resolve: schema => schema,
})
const answer = (json: unknown, change: Partial<V3Answered> = {}): V3Answered => ({
  status: 200,
  text: typeof json === 'string' ? json : JSON.stringify(json),
  contentType: 'application/json; charset=utf-8',
  ms: 5,
  changed: false,
  ...change,
})
const done = { result: {}, error: null, meta: null }
const refused = (details: object = { field: 'name' }, code = 1422, error_type = 'validation') => ({
  result: null,
  error: { code, error_type, message: 'No.', details },
  meta: null,
})
const judged = (change: Partial<Situation> & { sent?: Partial<V3Request> }): string =>
  judgeV3({ answer: answer(done), found: found(), tokens: [], ...change, request: { ...request, ...change.sent } }).join('; ')

t.test('judge accepts documented responses', async t => {
  t.equal(judged({ answer: answer(done, { changed: true }) }), '')
  t.equal(judged({ sent: { wanted: { status: 422, field: 'name' } }, answer: answer(refused(), { status: 422 }) }), '')
  t.equal(judged({ sent: { method: 'HEAD' }, answer: answer('') }), '')
})

const at422 = (json: object, change: Partial<V3Answered> = {}) => answer(json, { status: 422, ...change })
const offending: [name: string, change: Parameters<typeof judged>[0], says: RegExp][] = [
  ['another status than wanted', { sent: { wanted: { status: 400 } }, answer: at422(refused()) }, /422 instead of 400/],
  ['another field', { sent: { wanted: { status: 422, field: 'key' } }, answer: at422(refused()) }, /field "name" instead/],
  ['a field too many', { sent: { wanted: { status: 422, field: null } }, answer: at422(refused()) }, /instead of null/],
  ['a success that should be refused', { sent: { wanted: { status: 422 } } }, /200 instead of 422/],
  ['422 without a field', { answer: at422(refused({})) }, /without a field/],
  ['a code of another status', { answer: at422(refused({ field: 'x' }, 1400)) }, /422 with 1400/],
  ['a valid body that is malformed', { answer: answer(refused({}, 1400, 'bad_request'), { status: 400 }) }, /malformed/],
  ['a status that no document has', { answer: answer(refused({}, 1500, 'server'), { status: 500 }) }, /500 is not documented/],
  ['another shape', { found: found(no) }, /not as documented/],
  ['a success nowhere', { found: null }, /no documented route/],
  ['a late response', { answer: answer(done, { ms: 10_001 }) }, /after 10001 ms/],
  ['no JSON', { answer: answer('<html>', { contentType: 'text/html' }) }, /Content-Type text\/html; no envelope/],
  ['a body on HEAD', { sent: { method: 'HEAD' } }, /body on HEAD/],
  ['a refusal that stored something', { answer: at422(refused(), { changed: true }) }, /stored something/],
  [
    'a batch that stored what it refused',
    { answer: answer({ ...done, result: { accepted: 0 } }, { changed: true }) },
    /stored something/,
  ],
  [
    'an item that is taken',
    {
      sent: { wanted: { status: 422, field: 'observations.0.at' } },
      answer: answer({ ...done, result: { results: [{}] } }),
      found: { ...found(), path: '/v3/workspaces/{workspace}/observations' },
    },
    /item 0 is accepted/,
  ],
  ['a secret for a viewer', { answer: answer({ ...done, result: 'planted5dataSecret' }) }, /shows planted5dataSecret/],
  ['a token', { answer: answer({ ...done, result: 'abc' }), tokens: ['abc'] }, /shows abc/],
]

for (const [name, change, says] of offending) {
  t.test(`judge of responses finds ${name}`, async t => {
    t.match(judged(change), says)
  })
}
