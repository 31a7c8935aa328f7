// The scenario of the demo: acts as a person and as a website, and waits for the reactions of the installation. Checks, verdicts, states,
// deadlines and messages are printed by the timeline, never by this file.
import type { DirectoryClient, KeeperClient } from '#shared/bus/clients/clients.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { StartError } from '../runtime/start-error.ts'
import type { Outside } from './outside.ts'
import { type Step, summarySteps } from './steps.ts'
import { isCheck, isInState, isMessage, TimedOut, type Timeline } from './timeline.ts'

export interface Stage {
  rest: Rest
  directory: DirectoryClient
  keeper: KeeperClient
  outside: Outside
  timeline: Timeline
  location: string
  show(step: Step): void
}

/**
 * Resolves when the website was down and came back, and the messages about the problem and the recovery were received. Throws TimedOut, a
 * StartError or an AppError.
 */
export async function play(stage: Stage): Promise<void> {
  const { outside, timeline, show } = stage
  const subjectId = await addWebsite(stage)
  await timeline.until('the first check', isCheck(true))
  const rev = await checkEverySecond(stage, subjectId)
  await timeline.until('a check each second', isCheck(true, rev), 2)
  outside.setUp(false)
  show(acted('The website goes down: it answers 503 from here on.', { up: false }))
  await timeline.until('a check that fails', isCheck(false))
  const opened = await timeline.until('the incident to open', isInState('pending'))
  const problem = await timeline.until('the message that it is down', isMessage('confirmed'))
  outside.setUp(true)
  show(acted('The website comes back: it answers 200 from here on.', { up: true }))
  await timeline.until('the incident to recover', isInState('recovering'))
  const recovery = await timeline.until('the message that it is back up', isMessage('closed'))
  for (const step of summarySteps(opened, problem, recovery)) show(step)
}

const acted = (sentence: string, data: object): Step => ({ name: 'website', tone: 'plain', lines: [sentence], data: { ...data } })

/** Creates the website over the public REST API. Returns the subject's id. */
async function addWebsite({ rest, outside, location, show }: Stage): Promise<string> {
  const [workspace] = await rest.call<{ id: string }[]>('GET', '/workspaces')
  const workspaceId = workspace?.id ?? ''
  const destination = { name: 'demo webhook', destination_type: 'webhook', url: outside.webhookUrl, default: true }
  await rest.call('POST', '/notifications/destinations', { workspace_id: workspaceId, ...destination })
  show(setUp('A destination, by POST /api/v2/notifications/destinations:', outside.webhookUrl))
  const website = await rest.call<{ id: string }>('POST', '/monitoring/websites', {
    workspace_id: workspaceId,
    name: 'demo site',
    interval: 60,
    request: { url: outside.websiteUrl, method: 'GET' },
    response: { statuses: [200] },
    locations: [location],
  })
  show(setUp('A website, by POST /api/v2/monitoring/websites:', `${outside.websiteUrl} from the location "${location}"`))
  return website.id
}

/** Sets an interval shorter than the public API allows, by a command on the bus. Returns the subject's revision with this interval. */
async function checkEverySecond({ directory, keeper, show }: Stage, subjectId: string): Promise<number> {
  const website = await directory.ask('get-subject', { subjectId })
  if (website === null || website.check === null) throw new StartError(`The website ${subjectId} can't be found.`)
  const { confirm_after: _, recover_after: __, ...kept } = website.check
  const check = { ...kept, interval_value: 1, interval_unit: 'SECOND' as const }
  const changed = await keeper.send(subjectId, {
    kind: 'update-website',
    id: randomId(idLength.subject),
    name: website.name,
    check,
  })
  show(setUp('Checked every second from here on, by a command on the bus:', 'the public API keeps its minimum of a minute.'))
  return changed.rev
}

const setUp = (...lines: [string, string]): Step => ({ name: 'setup', tone: 'plain', lines, data: {} })

export interface Rest {
  /**
   * Returns the `result` of a response. Throws a StartError if the API refuses the request, or TimedOut if the signal aborts before the
   * response.
   */
  call<T>(method: 'GET' | 'POST', route: string, body?: object): Promise<T>
}

export function createRest(url: string, key: string, signal: AbortSignal): Rest {
  return {
    call: async <T>(method: string, route: string, body?: object) => {
      const headers = { authorization: `Bearer ${key}`, ...(body === undefined ? {} : { 'content-type': 'application/json' }) }
      const sent = body === undefined ? null : JSON.stringify(body)
      const request = `${method} /api/v2${route}`
      try {
        const response = await fetch(`${url}/api/v2${route}`, { method, headers, signal, body: sent })
        const { result, error } = (await response.json()) as { result: T; error: { message: string } | null }
        if (error !== null) throw new StartError(`${request} was refused: ${error.message}.`)
        return result
      } catch (error) {
        throw signal.aborted ? new TimedOut(`an answer to ${request}`) : error
      }
    },
  }
}
