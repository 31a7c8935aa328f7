// Actions on one or several monitors: acknowledge the worst open incident, start maintenance, end maintenance. An action resolves with a
// sentence about everything that the server did or refused. No result is shown before the server's response.
import { askV3, sentenceOf } from '../data/api.ts'
import { counted } from '../data/format.ts'

export interface Acted {
  id: string
  name: string
}

export interface Outcome {
  sentence: string
  isRefusal: boolean
}

/** Maximum number of concurrent requests. */
const atOnce = 4

export const acknowledge = (workspace: string, incidents: readonly Acted[]): Promise<Outcome> =>
  forEach(incidents, 'incident', 'acknowledged', ({ id }) =>
    askV3('POST', `/workspaces/${workspace}/incidents/${encodeURIComponent(id)}/acknowledge`, {}),
  )

export const startMaintenance = (workspace: string, monitors: readonly Acted[], minutes: number): Promise<Outcome> =>
  forEach(monitors, 'monitor', 'put into maintenance', ({ id }) => askV3('PUT', maintenanceOf(workspace, id), { minutes }))

export const endMaintenance = (workspace: string, monitors: readonly Acted[]): Promise<Outcome> =>
  forEach(monitors, 'monitor', 'taken out of maintenance', ({ id }) => askV3('DELETE', maintenanceOf(workspace, id)))

const maintenanceOf = (workspace: string, id: string): string =>
  `/workspaces/${workspace}/resources/${encodeURIComponent(id)}/maintenance`

async function forEach(
  things: readonly Acted[],
  noun: string,
  done: string,
  act: (thing: Acted) => Promise<unknown>,
): Promise<Outcome> {
  const waiting = [...things]
  const refused: string[] = []
  const work = async () => {
    for (let thing = waiting.shift(); thing !== undefined; thing = waiting.shift()) {
      const { name } = thing
      await act(thing).catch(error => refused.push(things.length === 1 ? sentenceOf(error) : `${name}: ${sentenceOf(error)}`))
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, things.length) }, work))
  const ok = things.length - refused.length
  const first = ok === 0 ? '' : `${things.length === 1 ? things[0]?.name : counted(ok, noun)} ${done}.`
  const rest = refused.length > 3 ? ` And ${counted(refused.length - 3, 'refusal')} more.` : ''
  return { sentence: [first, ...refused.slice(0, 3)].join(' ').trim() + rest, isRefusal: refused.length > 0 }
}
