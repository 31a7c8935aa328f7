// Checks of responses of generations 1 and 2 against their envelope, for results and for tables of refusals.
import t, { type Test } from 'tap'
import type { Answer } from '../worlds/api-world.ts'

/** Asserts that the response is a success with exactly the members of the envelope. Returns the result. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into results freely
export function resultOf(answer: Answer): any {
  t.equal(answer.status, 200)
  t.strictSame(Object.keys(answer.json), ['result', 'error', 'meta'])
  t.equal(answer.json.error, null, JSON.stringify(answer.json.error))
  t.equal(answer.json.meta, null)
  return answer.json.result
}

export interface Refusal {
  title: string
  send: () => Promise<Answer>
  code: number
  message?: string
  /** Expected message: full text, or a pattern. */
  details?: RegExp | string
}

const types: Record<number, string> = { 2001: 'validation_error', 2002: 'not_found', 2003: 'forbidden' }
const typeOf = (code: number): string => types[code] ?? (code < 2_000 ? 'access_denied' : 'internal_error')

/** Makes one test for each refusal: HTTP 200, the exact error object, and nothing stored. `dump` returns all stored documents. */
export function refuseAll(dump: () => Promise<string>, refusals: readonly Refusal[], within: Test = t): void {
  for (const { title, send, code, message, details } of refusals) {
    void within.test(`${title} is refused with ${code}${message === undefined ? '' : ` ${message}`}`, async t => {
      const before = await dump()
      const answer = await send()
      t.equal(answer.status, 200)
      t.strictSame(Object.keys(answer.json), ['result', 'error', 'meta'])
      t.equal(answer.json.result, null)
      t.equal(answer.json.meta, null)
      t.strictSame(Object.keys(answer.json.error ?? {}), ['code', 'error_type', 'message', 'details'])
      t.equal(answer.json.error.code, code, JSON.stringify(answer.json.error))
      t.equal(answer.json.error.error_type, typeOf(code))
      if (message !== undefined) t.equal(answer.json.error.message, message)
      if (typeof details === 'string') t.equal(answer.json.error.details, details)
      if (details instanceof RegExp) t.match(answer.json.error.details, details)
      t.equal(await dump(), before, 'a refusal stores nothing')
    })
  }
}
