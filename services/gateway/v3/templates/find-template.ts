// Lookup of the Template that a request names. Reference: docs/reference/v3.md, 3.2 and 4.13.
import type { AskResults } from '#shared/contracts/ask/ask.ts'
import { AppError } from '#shared/errors.ts'
import type { GatewayContext } from '../../context.ts'

interface NamedTemplate {
  workspaceId: string
  /** Reference to the Template: `key`, which means the highest version, or `key@version`. */
  reference: string
  /** Field of the request that contains the reference. */
  field: string
}

/** Returns the Template; null: there is none. Throws `validation` with `field` if the stored revision is damaged. */
export async function findTemplate(
  { directory }: Pick<GatewayContext, 'directory'>,
  { workspaceId, reference, field }: NamedTemplate,
  traceId: string,
): Promise<Exclude<AskResults['get-template'], 'damaged'>> {
  const found = await directory.ask('get-template', { workspaceId, reference }, traceId)
  if (found !== 'damaged') return found
  throw new AppError('validation', `The Template ${reference} is damaged in the store: name another version`, {
    facts: { field },
  })
}
