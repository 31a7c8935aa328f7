// A Template that a request names, for the routes that work by one. Rules: docs/reference/v3.md, 3.2 and 4.13.
import type { AskResults } from '#shared/contracts/ask.ts'
import { AppError } from '#shared/errors.ts'
import type { GatewayContext } from '../context.ts'

interface Named {
  workspaceId: string
  /** `key`, which means the highest version, or `key@version`. */
  reference: string
  /** The field of the request that names it. */
  field: string
}

/** Null if there is none. Throws `validation` with `field` if the revision is damaged in the store. */
export async function findTemplate(
  { directory }: Pick<GatewayContext, 'directory'>,
  { workspaceId, reference, field }: Named,
  traceId: string,
): Promise<Exclude<AskResults['get-template'], 'damaged'>> {
  const found = await directory.ask('get-template', { workspaceId, reference }, traceId)
  if (found !== 'damaged') return found
  throw new AppError('validation', `The Template ${reference} is damaged in the store: name another version`, {
    facts: { field },
  })
}
