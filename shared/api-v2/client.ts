// HTTP client of generation 2 of the API, for objects that generation 3 cannot write: custom subjects with their rules, and delivery
// tables. The client never prints, never retries a request and never follows a redirect.
import { ApiUnreachable } from '#shared/api-v3/errors.ts'
import { type ApiOptions, type ApiRequest, baseOf, exchange, headersOf, parseObject, targetOf } from '#shared/api-v3/exchange.ts'

/** Error response of generation 2. The command line shows it as `message: details`. */
export class ClassicRefusal extends Error {
  override readonly name = 'ClassicRefusal'
  readonly code: number
  readonly details: string

  constructor(code: number, message: string, details: string) {
    super(message)
    this.code = code
    this.details = details
  }
}

/** Error of a request to an installation that has switched off generations 1 and 2 (v3 12.1). */
export class ClassicGone extends Error {
  override readonly name = 'ClassicGone'
}

export interface ClassicClient {
  /** Returns the result of a request; `path` is relative to `/api/v2`. Throws ClassicRefusal, ClassicGone and ApiUnreachable. */
  call(request: ApiRequest): Promise<unknown>
}

/** Creates the client. Throws in the same cases as `createApiClient`. */
export function createClassicClient(options: ApiOptions): ClassicClient {
  const base = baseOf(options.url)
  const headers = headersOf(options)
  return {
    async call(request) {
      const { method, body } = request
      const { status, text } = await exchange(targetOf(base, '/api/v2', request), base, { method, headers, body })
      if (status === 410) throw new ClassicGone('generation 2 of the API is switched off')
      return resultOf(base, status, text)
    },
  }
}

function resultOf(base: string, status: number, text: string): unknown {
  const envelope = parseObject(text)
  if (status !== 200 || envelope === null || !('result' in envelope)) {
    throw new ApiUnreachable(base, `it responded with status ${status} and nothing that generation 2 of the API says`)
  }
  const { result, error } = envelope
  if (error === null || error === undefined) return result
  const { code, message, details } = error as { code: number; message: string; details: string }
  throw new ClassicRefusal(code, message, details)
}
