// A short form of `npm run fuzz` for generations 1 and 2 (10,000 cases): every documented route responds as its document says to every
// valid and broken request. The test also plants faults in responses: the judge must find each of them.
import t from 'tap'
import type { FuzzRequest } from './breaking.ts'
import { fuzz } from './fuzz.ts'
import { startInstallation } from './installation.ts'
import { type Answered, judge } from './judge.ts'
import { type Operation, readOperations } from './operations.ts'

const [seed, cases] = [20_260_102, 300]

t.test(`${cases} requests from the documents get only documented responses (seed ${seed})`, async t => {
  const installation = await startInstallation('2.0.0')
  t.teardown(() => installation.stop())
  const report = await fuzz(installation, { seed, cases })
  const told = report.findings.map(({ request, offences, answer }) => ({
    offences,
    request: `${request.method} ${request.path.slice(0, 200)} (${request.broken.join(', ')}) ${String(request.body).slice(0, 300)}`,
    answer,
  }))
  t.strictSame(told, [])
  t.ok(report.cases >= cases)
  t.strictSame(report.unanswered, [], 'every operation answered with a result that fits its schema')
  t.ok(report.refusals.size >= 12, `${report.refusals.size} kinds of refusal`)
})

/** One operation, written as in an OpenAPI document. */
const operation = readOperations('planted', {
  paths: {
    '/things': {
      post: {
        requestBody: {
          content: {
            'application/json': { schema: { type: 'object', required: ['name'], properties: { name: { type: 'string' } } } },
          },
        },
        responses: {
          200: {
            content: {
              'application/json': {
                schema: {
                  properties: {
                    result: {
                      type: 'object',
                      required: ['id'],
                      additionalProperties: false,
                      properties: { id: { type: 'string' } },
                    },
                  },
                },
              },
            },
            'x-refusals': [
              { code: 2001, message: 'Invalid name' },
              { code: 500, message: 'Internal error' },
            ],
          },
        },
      },
    },
  },
} as never)[0] as Operation

const request: FuzzRequest = { method: 'POST', path: '/api/things', headers: {}, body: '{"name":"a"}', broken: [] }
const answer = (json: unknown, change: Partial<Answered> = {}): Answered => ({
  status: 200,
  text: typeof json === 'string' ? json : JSON.stringify(json),
  contentType: 'application/json; charset=utf-8',
  ms: 5,
  changed: false,
  ...change,
})
const refused = (code: number, message: string, more: object = {}) => ({
  result: null,
  error: { code, error_type: 'validation_error', message, details: 'Because.', ...more },
  meta: null,
})
const succeeded = (result: unknown) => ({ result, error: null, meta: null })

t.test('judge accepts documented responses', async t => {
  t.strictSame(judge(request, answer(succeeded({ id: 'a' }), { changed: true }), operation), [])
  t.strictSame(judge(request, answer(refused(2001, 'Invalid name')), operation), [])
  t.strictSame(judge(request, answer(refused(2002, 'Not found')), null), [])
  t.strictSame(judge({ ...request, body: '{"name":"a","more":null}' }, answer(succeeded({ id: 'a' })), operation), [])
})

const offending: { name: string; request?: Partial<FuzzRequest>; answer: Answered; says: RegExp; found?: null }[] = [
  { name: 'another status', answer: answer(succeeded({ id: 'a' }), { status: 201 }), says: /HTTP 201/ },
  { name: 'a late answer', answer: answer(succeeded({ id: 'a' }), { ms: 4_001 }), says: /after 4001 ms/ },
  { name: 'no JSON', answer: answer('<html>'), says: /no envelope/ },
  { name: 'another envelope', answer: answer({ error: null, result: 1, meta: null }), says: /no envelope/ },
  { name: 'a meta', answer: answer({ result: 1, error: null, meta: {} }), says: /no envelope/ },
  { name: 'a result with a field more', answer: answer(succeeded({ id: 'a', extra: 1 })), says: /not as documented/ },
  { name: 'a result with a field less', answer: answer(succeeded({})), says: /not as documented/ },
  { name: 'an internal error', answer: answer(refused(500, 'Internal error')), says: /internal error/ },
  {
    name: 'a refusal that stored something',
    answer: answer(refused(2001, 'Invalid name'), { changed: true }),
    says: /stored something/,
  },
  { name: 'a refusal with a field more', answer: answer(refused(2001, 'Invalid name', { stack: 'x' })), says: /other fields/ },
  { name: 'a refusal that no document names', answer: answer(refused(2001, 'Bad name')), says: /not documented: 2001 Bad name/ },
  { name: 'a refusal without words', answer: answer(refused(2001, 'Invalid name', { details: '' })), says: /without words/ },
  {
    name: 'a valid body that is malformed',
    answer: answer(refused(2006, 'Invalid JSON')),
    says: /malformed what the document allows/,
  },
  {
    name: 'a broken body that is taken',
    request: { body: '{}' },
    answer: answer(succeeded({ id: 'a' })),
    says: /document forbids/,
  },
  { name: 'a success nowhere', found: null, answer: answer(succeeded({ id: 'a' })), says: /no documented route/ },
]

for (const { name, request: change, answer, says, found } of offending) {
  t.test(`judge finds ${name}`, async t => {
    t.match(judge({ ...request, ...change }, answer, found === null ? null : operation).join('; '), says)
  })
}
