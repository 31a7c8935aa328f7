// The target of a check with the options of the kind, and of each hop after it. Never opens a connection. Secrets of the check are in the
// requests to its own origin alone.
import { type AllOptions, httpFields } from '#shared/checks/http/fields.ts'
import type { HttpEntry } from '#shared/checks/http/http.ts'
import { type Hop, isRedirect, nextHop } from '#shared/checks/http/redirect.ts'
import { type StatusRange, statusRange } from '#shared/checks/http/statuses.ts'
import { headersOf, isNamed, linesOf } from '#shared/net/header-lines.ts'
import { maskOf } from '#shared/secrecy/masked-text.ts'
import { optionsIn } from '../options.ts'
import { canBeSent, type Further, httpUrl, requestOf, type Target, targetOf } from './target.ts'

/** Returns null if the entry's address is not an HTTP or HTTPS URL. */
export function httpTarget(entry: HttpEntry, userAgent: string): Target | null {
  const options = optionsIn<AllOptions>(httpFields, entry)
  const url = httpUrl(options.url)
  const totalMs = Math.min(options.timeout_seconds * 1_000, entry.intervalMs)
  const first = { method: options.method, hasBody: options.body !== '', isOwn: true }
  return url === null ? null : hopTarget({ ...first, url }, { options, userAgent, totalMs })
}

interface Plan {
  options: AllOptions
  userAgent: string
  totalMs: number
}

function hopTarget(hop: Hop, plan: Plan): Target {
  const { options } = plan
  const lines = requestLines(hop, plan)
  return targetOf(hop.url, {
    ipFamily: options.ip_family,
    verify: options.verify,
    authority: options.authority,
    method: hop.method,
    request: lines === null ? null : requestOf(hop.method, hop.url, lines, hop.hasBody ? options.body : ''),
    statuses: options.statuses.map(text => statusRange(text)).filter((range): range is StatusRange => range !== null),
    contains: options.contains,
    further: furtherOf(hop, plan),
  })
}

function furtherOf(hop: Hop, plan: Plan): Further {
  const { options, totalMs } = plan
  const { json_path: path, json_operator: operator, json_value: value } = options
  return {
    totalMs,
    passesMs: options.max_ms,
    lacks: options.lacks,
    json: path === '' ? null : { path, operator, value },
    matches: options.matches,
    follow: (head, followed) => {
      if (options.redirects === 0 || !isRedirect(head.statusCode)) return null
      const next = nextHop(hop, head, followed, options)
      return typeof next === 'string' ? next : hopTarget(next, plan)
    },
    mask: () => maskOf(secretsOf(options)),
  }
}

/** Returns the header lines of a request; null: they cannot be sent together. */
function requestLines({ url, hasBody, isOwn }: Hop, { options, userAgent }: Plan): string[] | null {
  const secret = isOwn ? headersOf(linesOf(options.secret_headers)) : []
  const open = headersOf(options.headers).filter(header => isOwn || !isNamed('host')(header))
  const given = [...open, ...secret]
  const credentials = isOwn ? credentialsOf(options) : null
  const usual: [name: string, value: string | null][] = [
    ['host', url.host],
    ['user-agent', userAgent],
    ['accept', '*/*'],
    ['content-type', hasBody && options.content_type !== '' ? options.content_type : null],
    ['authorization', credentials],
  ]
  if (credentials !== null && given.some(isNamed('authorization'))) return null
  if (!canBeSent(options.content_type)) return null
  const own = usual.flatMap(([name, value]) => (value === null || given.some(isNamed(name)) ? [] : [{ name, value }]))
  return [...own, { name: 'connection', value: 'close' }, ...given].map(({ name, value }) => `${name}: ${value}`)
}

/** Returns the value of the Authorization header; null: the check has no credentials of its own. */
function credentialsOf({ bearer, username, password }: AllOptions): string | null {
  if (bearer !== '') return `Bearer ${bearer}`
  return username === '' && password === '' ? null : `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
}

const secretsOf = (options: AllOptions): string[] => [
  ...headersOf(linesOf(options.secret_headers)).map(({ value }) => value),
  ...[options.body, options.password, options.bearer, credentialsOf(options) ?? ''],
]
