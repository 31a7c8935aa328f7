// Fills the installation of the demo over generation 3 of the API: a destination, a Template, six websites and two jobs.

import type { DirectoryClient, KeeperClient } from '#shared/bus/clients/clients.ts'
import { plainChannel } from '#shared/channels/registry.ts'
import { websiteTemplate } from '#shared/checks/website/website-template.ts'
import { limits } from '#shared/limits/limits.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { StartError } from '../runtime/start-error.ts'
import { type JobReport, jobs, jobTemplate, sites } from './world.ts'

export interface DemoApi {
  /** Returns `result`. A refusal for a state that is already reached (409) returns null. Throws a StartError. */
  call<T>(method: 'GET' | 'POST', route: string, body?: object): Promise<T | null>
}

/** Returns a client that repeats what a busy installation did not finish in time. Every request of the demo may be repeated. */
export function createDemoApi(url: string, key: string): DemoApi {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const attempt = async (method: string, route: string, body?: object) => {
    const sent = body === undefined ? null : JSON.stringify(body)
    const response = await fetch(`${url}/api/v3${route}`, { method, headers, body: sent })
    return { status: response.status, answer: (await response.json()) as { result: unknown; error: { message: string } | null } }
  }
  return {
    call: async <T>(method: string, route: string, body?: object) => {
      for (let left: number = limits.demo.attempts; ; left--) {
        const { status, answer } = await attempt(method, route, body)
        if (status < 400) return answer.result as T
        if (status === 409) return null
        if (status < 500 && status !== 429) throw new StartError(`${method} ${route} was refused: ${answer.error?.message}`)
        if (left === 0)
          throw new StartError(
            `${method} ${route} fails again and again: ${answer.error?.message} Try again when the machine is less busy.`,
          )
      }
    },
  }
}

export interface Furnishing {
  api: DemoApi
  directory: DirectoryClient
  keeper: KeeperClient
  siteUrl(path: string): string
  webhookUrl: string
}

/** Creates everything. Returns the function that reports a run of a job. */
export async function furnish({
  api,
  directory,
  keeper,
  siteUrl,
  webhookUrl,
}: Furnishing): Promise<(key: string, report: JobReport) => Promise<void>> {
  const [workspace] = (await api.call<{ id: string }[]>('GET', '/workspaces')) ?? []
  const [location] = (await api.call<{ id: string }[]>('GET', '/locations')) ?? []
  if (workspace === undefined || location === undefined) throw new StartError('The demo has neither a workspace nor a location.')
  const at = `/workspaces/${workspace.id}`
  await api.call('POST', `${at}/destinations`, { name: 'Receiver of the demo', type: plainChannel.type, url: webhookUrl })
  await api.call('POST', `${at}/templates`, jobTemplate)
  for (const { path, name, holdSeconds } of sites) {
    const waits = { confirm_after: holdSeconds, recover_after: holdSeconds }
    const meta = { url: siteUrl(path), interval_value: 1, locations: [location.id], ...waits }
    const made = await api.call<{ id: string }>('POST', `${at}/resources`, { template: websiteTemplate, key: path, name, meta })
    if (made !== null) await checkOften(made.id, directory, keeper)
  }
  for (const { key, name } of jobs) await api.call('POST', `${at}/resources`, { template: jobTemplate.key, key, name })
  return async (key, report) => {
    await api.call('POST', `${at}/resources/${key}/observations`, { signal: 'run', ...report })
  }
}

/** Sets an interval shorter than the API allows, by a command on the bus. */
async function checkOften(subjectId: string, directory: DirectoryClient, keeper: KeeperClient): Promise<void> {
  const website = await directory.ask('get-subject', { subjectId })
  if (website === null || website.check === null) throw new StartError(`The website ${subjectId} can't be found.`)
  const { confirm_after: _, recover_after: __, ...kept } = website.check
  const check = { ...kept, interval_value: limits.demo.everySeconds, interval_unit: 'SECOND' as const }
  await keeper.send(subjectId, { kind: 'update-website', id: randomId(idLength.subject), name: website.name, check })
}
