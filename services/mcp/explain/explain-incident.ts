// `explain_incident`: reads an Incident, its Resource, its rule and its deliveries, and returns one explanation.
import { apiPath } from '#shared/api-v3/api-path.ts'
import { ApiRefusal } from '#shared/api-v3/errors.ts'
import type { ApiRequest } from '#shared/api-v3/exchange.ts'
import { clientLimits } from '#shared/limits/limits-of-clients.ts'
import type { Outcome, ToolContext } from '../tool.ts'
import type { Delivery, Incident, Resource, Template } from './api-objects.ts'
import { bounded, explanationOf } from './explanation.ts'

/** Returns the explanation. Throws the errors of the API's client. */
export async function explainIncident(
  { api, workspace }: ToolContext,
  args: { workspace?: string; incident: string },
): Promise<Outcome> {
  const id = await workspace(args.workspace)
  const read = (path: string, query: ApiRequest['query'] = {}) => api({ method: 'GET', path, query })
  const incident = (await read(apiPath`/workspaces/${id}/incidents/${args.incident}`)).result as Incident
  const [resource, deliveries] = await Promise.all([
    read(apiPath`/workspaces/${id}/resources/${incident.resource.id}`),
    read(apiPath`/workspaces/${id}/incidents/${args.incident}/deliveries`, { limit: clientLimits.pageItems }),
  ])
  const { template } = resource.result as Resource
  const declared = template === null ? null : await read(apiPath`/workspaces/${id}/templates/${template}`).catch(unreadable)
  const { explanation, text } = bounded(
    explanationOf({
      incident,
      resource: resource.result as Resource,
      template: declared?.result as Template | null,
      deliveries: deliveries.result as Delivery[],
      hasOlderDeliveries: deliveries.nextCursor !== null,
    }),
  )
  return { result: explanation, text }
}

/** If the Template's revision is missing or damaged (v3 4.12), the explanation omits the rule. */
function unreadable(error: unknown): null {
  if (error instanceof ApiRefusal && [404, 422, 500].includes(error.status)) return null
  throw error
}
