// The far end of Jira Service Management and Opsgenie, as their documents describe the alert API: takes requests, keeps alerts by their
// alias. A request is taken before anything is done, so an answer says nothing about the alert. No network.
import type { FarEvent } from './pagerduty.ts'

interface Alert {
  state: 'open' | 'acknowledged' | 'closed'
  priority: string
  message: string
}

/** The example of the documents: the answer to every request that is taken. */
export const recorded = {
  answer: {
    status: 202,
    body: { result: 'Request will be processed', took: 0.302, requestId: '43a29c5c-3dbf-4fa4-9c26-f4f71023e120' },
  },
}

export function createJsm(keys: readonly string[] = ['SECRET', 'FRESH-SECRET']) {
  /** Alerts by their alias, in the order of their opening. */
  const alerts = new Map<string, Alert[]>()
  const openAt = (alias: string): Alert | undefined => alerts.get(alias)?.find(({ state }) => state !== 'closed')
  const refuse = (status: number, message: string) => ({ status, body: JSON.stringify({ message, took: 0.001, requestId: 'x' }) })
  const taken = { status: recorded.answer.status, body: JSON.stringify(recorded.answer.body) }
  const create = (body: Record<string, unknown>) => {
    const { message, alias, description = '', priority = 'P3', tags = [], entity = '', source = '' } = body
    if (typeof message !== 'string' || message === '' || message.length > 130)
      return refuse(422, 'Request body is not processable: message')
    if (typeof alias !== 'string' || alias.length > 512) return refuse(422, 'Request body is not processable: alias')
    if (String(description).length > 15_000) return refuse(422, 'Request body is not processable: description')
    if ((tags as string[]).length > 20 || (tags as string[]).some(tag => tag.length > 50)) return refuse(422, 'tags')
    if (String(entity).length > 512 || String(source).length > 100) return refuse(422, 'entity or source')
    if (!/^P[1-5]$/.test(String(priority))) return refuse(422, 'priority')
    const open = openAt(alias)
    // An open alert with the alias counts again.
    if (open === undefined)
      alerts.set(alias, [...(alerts.get(alias) ?? []), { state: 'open', priority: String(priority), message }])
    return taken
  }
  return {
    alerts,
    openAt,
    /** Aliases of alerts that are not closed. */
    open: (): string[] => [...alerts.keys()].filter(alias => openAt(alias) !== undefined).sort(),
    answer: ({ path, headers, body }: FarEvent): { status: number; body: string } => {
      if (!keys.some(key => headers?.['authorization'] === `GenieKey ${key}`)) return refuse(401, 'Could not authenticate')
      if (path === '/v2/alerts') return create(body as Record<string, unknown>)
      const [, alias = '', change] = /^\/v2\/alerts\/([^/?]+)\/(acknowledge|close)\?identifierType=alias$/.exec(path) ?? []
      if (change === undefined) return refuse(404, 'Not found')
      const open = openAt(decodeURIComponent(alias))
      if (open === undefined) return refuse(404, 'Alert does not exist')
      open.state = change === 'close' ? 'closed' : 'acknowledged'
      return taken
    },
  }
}
