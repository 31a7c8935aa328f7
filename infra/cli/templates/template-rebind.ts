// `./watchkeeper template rebind`: binds every Resource of a revision to another revision. A run binds the Resources one by one, so that a
// second run can continue an interrupted run. Reference: docs/reference/v3.md, 6.5.
import { apiPath } from '#shared/api-v3/api-path.ts'
import { inParallel } from '#shared/async/in-parallel.ts'
import { limits } from '#shared/limits/limits.ts'
import { counted } from '#shared/text/counted.ts'
import { exitCodes, StartError } from '../../runtime/start-error.ts'
import type { Incident, Resource } from '../api/look-up-api.ts'
import { asStartError } from '../api/with-api.ts'
import { type InWorkspace, withWorkspace } from '../api/with-workspace.ts'
import type { ApiOptions } from '../noun.ts'
import { type TemplateView, templateOf } from '../resources/pairs.ts'
import { oneLine, printJson, say } from '../terminal/printing.ts'

export interface RebindOptions extends ApiOptions {
  yes?: boolean
}

/** `from`: `key@version`, or a key for all revisions of the Template. `to`: `key@version`, or a key for the highest version. */
export async function rebindTemplate(from: string, to: string, options: RebindOptions): Promise<void> {
  await withWorkspace(options, async place => {
    const { api, root } = place
    const [source, target] = [await requireTemplate(place, from), await requireTemplate(place, to)]
    const reference = from.includes('@') ? source.id : source.key
    const listed = await api.list<Resource>(`${root}/resources`, { template: reference }, 'Resources')
    const resources = listed.filter(({ template }) => template !== target.id)
    const closed = await countIncidents(place, resources)
    const what = `${counted(resources.length, 'Resource')} of ${reference} to ${target.id}`
    if (!options.yes && resources.length > 0) throw notYet(what, closed, options)
    await bindAll(place, resources, target)
    if (options.json) return printJson({ from: reference, to: target.id, resources: resources.length, open_incidents: closed })
    say(resources.length === 0 ? `No Resource of ${reference} is left to bind to ${target.id}.` : `Bound ${what}.`)
  })
}

async function requireTemplate(place: InWorkspace, reference: string): Promise<TemplateView> {
  const found = await templateOf(place, reference)
  if (found !== null) return found
  throw new StartError(
    `There is no Template "${oneLine(reference)}": ./watchkeeper template list shows them.`,
    exitCodes.notFound,
  )
}

/** Reads all open Incidents and counts those of `resources`, because the API cannot filter the list by so many Resources. */
async function countIncidents({ api, root }: InWorkspace, resources: readonly Resource[]): Promise<number> {
  if (resources.length === 0) return 0
  const ids = new Set(resources.map(({ id }) => id))
  const open = await api.list<Incident>(`${root}/incidents`, { lifecycle: 'open', resource_state: 'active' }, 'open Incidents')
  return open.filter(({ resource }) => ids.has(resource.id)).length
}

function notYet(what: string, closed: number, { json }: RebindOptions): StartError {
  if (json) printJson({ error: { message: 'needs --yes', open_incidents: closed } })
  const losses = `closes ${counted(closed, 'open Incident')}, of which nobody hears`
  return new StartError(`Nothing is bound yet: binding ${what} ${losses}. Say --yes to do it.`, exitCodes.refused)
}

async function bindAll(
  { api, root }: InWorkspace,
  resources: readonly Resource[],
  { id: template }: TemplateView,
): Promise<void> {
  let done = 0
  await inParallel(resources, limits.configuration.requestsAtOnce, async ({ id, key }) => {
    try {
      await api.call({ method: 'POST', path: `${root}${apiPath`/resources/${id}/rebind`}`, body: { template } })
    } catch (error) {
      const cause = asStartError(error)
      if (!(cause instanceof StartError)) throw error
      const before = `${done} of ${counted(resources.length, 'Resource')} bound to ${template} when ${oneLine(key)} failed`
      throw new StartError(`${before}: ${cause.message} Run it again to go on.`, cause.exitCode)
    }
    done++
    api.say(`${done} of ${resources.length} Resources are bound …`)
  })
}
