// Requests whose responses may warn of the checks that they accept (docs/reference/v3.md, 6.12). Pages without a form do not load it.
import { type Warning, warningsHeader, warningsIn } from '#shared/api-v3/warnings.ts'
import { ask } from '../data/api.ts'

/** Sends a request of generation 3 like `askV3`. Resolves with its warnings, too. */
export async function askWarnedV3<T>(
  method: 'POST' | 'PATCH',
  path: string,
  body: object,
): Promise<{ result: T; warnings: Warning[] }> {
  let warnings: Warning[] = []
  const hear = (headers: Headers) => {
    warnings = warningsIn(headers.get(warningsHeader))
  }
  const { result } = await ask<{ result: T }>(method, `/api/v3${path}`, body, undefined, hear)
  return { result, warnings }
}
