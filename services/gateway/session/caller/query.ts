// Query parameters of the session API's reads. As in generation 3, only declared parameters are accepted, and no parameter twice.
import { AppError } from '#shared/errors.ts'
import type { Call } from '../../http/answer.ts'
import type { Route } from '../../http/route.ts'
import { readQuery } from '../../v3/read-query.ts'

/** Returns the parameters. Throws `validation` with a sentence that names the faulty parameter, as the session API words it. */
export function sessionQuery(query: NonNullable<Route['query']>, call: Call): Record<string, string | number | boolean> {
  try {
    return readQuery({ query }, call)
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'validation') throw error
    throw new AppError('validation', 'Invalid request', { details: `${error.message}.`, facts: error.facts })
  }
}
