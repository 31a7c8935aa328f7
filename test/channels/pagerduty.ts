// The far end of PagerDuty, as its documents describe the Events API v2: takes events, keeps incidents by their deduplication key. An
// acknowledgement or an end without an open incident is dropped, and a trigger after an end opens another incident. No network.
export interface FarEvent {
  path: string
  headers?: Readonly<Record<string, string | string[] | undefined>>
  body: unknown
}

interface Opened {
  state: 'triggered' | 'acknowledged' | 'resolved'
  severity: string
  summary: string
}

/** The example of the documents: a trigger, and its answer. */
export const recorded = {
  request: {
    routing_key: '4eeb3a6d6e6d4a4f8e6d8b6e4c3a2b1c',
    event_action: 'trigger',
    dedup_key: 'srv01/HTTP',
    payload: { summary: 'PING OK - Packet loss = 0%, RTA = 1.41 ms', source: 'acme-web-01', severity: 'info' },
  },
  answer: { status: 202, body: { status: 'success', message: 'Event processed', dedup_key: 'srv01/HTTP' } },
}

export function createPagerDuty() {
  /** Incidents by their key, in the order of their opening. */
  const incidents = new Map<string, Opened[]>()
  const openAt = (key: string): Opened | undefined => incidents.get(key)?.find(({ state }) => state !== 'resolved')
  const take = ({ event_action: action, dedup_key: key, payload }: Taken) => {
    const open = openAt(key)
    if (action === 'trigger') {
      const { severity = '', summary = '' } = payload ?? {}
      if (open === undefined) incidents.set(key, [...(incidents.get(key) ?? []), { state: 'triggered', severity, summary }])
      else Object.assign(open, { severity, summary })
    } else if (open !== undefined) open.state = action === 'acknowledge' ? 'acknowledged' : 'resolved'
  }
  return {
    incidents,
    openAt,
    /** Keys of incidents that are not resolved. */
    open: (): string[] => [...incidents.keys()].filter(key => openAt(key) !== undefined).sort(),
    answer: ({ path, body }: FarEvent): { status: number; body: string } => {
      const errors = path === '/v2/enqueue' ? faultsOf(body) : ['not found']
      if (errors.length > 0)
        return {
          status: path === '/v2/enqueue' ? 400 : 404,
          body: JSON.stringify({ status: 'invalid event', message: 'Event object is invalid', errors }),
        }
      take(body as Taken)
      return { status: 202, body: JSON.stringify({ ...recorded.answer.body, dedup_key: (body as Taken).dedup_key }) }
    },
  }
}

interface Taken {
  event_action: string
  dedup_key: string
  payload?: { severity?: string; summary?: string }
}

const isText = (value: unknown, most: number): boolean => typeof value === 'string' && value !== '' && [...value].length <= most

function faultsOf(body: unknown): string[] {
  const { routing_key: key, event_action: action, dedup_key: dedup, payload } = (body ?? {}) as Record<string, unknown>
  const { summary, source, severity } = (payload ?? {}) as Record<string, unknown>
  const isTrigger = action === 'trigger'
  return [
    ...(isText(key, 32) && String(key).length === 32 ? [] : ["'routing_key' is invalid"]),
    ...(['trigger', 'acknowledge', 'resolve'].includes(String(action)) ? [] : ["'event_action' is invalid"]),
    ...(isText(dedup, 255) ? [] : ["'dedup_key' is missing or too long"]),
    ...(isTrigger && !isText(summary, 1_024) ? ["'payload.summary' is missing or blank"] : []),
    ...(isTrigger && !isText(source, 255) ? ["'payload.source' is missing or blank"] : []),
    ...(isTrigger && !['critical', 'warning', 'error', 'info'].includes(String(severity))
      ? ["'payload.severity' is invalid"]
      : []),
    ...(JSON.stringify(body).length > 512 * 1_024 ? ['the event is too large'] : []),
  ]
}
