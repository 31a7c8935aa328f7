// What a person reads once everything runs: where it listens, and what to type next. The lines work when pasted.
import type { FirstKey } from './first-key.ts'

export interface WelcomeFacts {
  version: string
  /** Null where no gateway runs here. */
  url: string | null
  opsUrl: string
  firstKey: FirstKey | null
  /** A location that a new website monitor can name. */
  location: string
}

export function welcome(facts: WelcomeFacts): string[] {
  const head = facts.url === null ? 'runs' : `listens on ${facts.url}`
  const lines = [
    `Watchkeeper ${facts.version} ${head}; readiness and metrics: ${facts.opsUrl}/readyz and ${facts.opsUrl}/metrics`,
  ]
  if (facts.url === null) return lines
  if (facts.firstKey === null) return [...lines, 'An API key comes from: ./watchkeeper key create']
  const password = 'To sign in as owner, first set a password: ./watchkeeper member password owner'
  const steps = nextSteps(`${facts.url}/api/v2`, facts.firstKey, facts.location)
  return [...lines, `The first API key is in ${facts.firstKey.path}, for you alone to read.`, password, ...steps]
}

function nextSteps(api: string, { path, workspaceId }: FirstKey, location: string): string[] {
  const curl = `curl -sS -H "Authorization: Bearer $(cat ${quoted(path)})"`
  const post = (route: string, body: object) =>
    `  ${curl} -H 'Content-Type: application/json' ${api}${route} -d ${quoted(JSON.stringify(body))}`
  // Named, although one is enough today: these lines are printed at every start, and a person of two workspaces must name one.
  const destination = {
    workspace_id: workspaceId,
    name: 'my webhook',
    destination_type: 'webhook',
    url: 'https://example.org/hook',
    default: true,
  }
  const monitor = {
    workspace_id: workspaceId,
    name: 'my website',
    interval: 60,
    request: { url: 'https://example.org/', method: 'GET' },
    response: { statuses: [200] },
    locations: [location],
  }
  return [
    'Who is told:',
    post('/notifications/destinations', destination),
    'What is watched:',
    post('/monitoring/websites', monitor),
    'What is wrong now:',
    `  ${curl} '${api}/incidents?workspace_id=${workspaceId}'`,
  ]
}

/** A text as one word of a POSIX shell. */
const quoted = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
