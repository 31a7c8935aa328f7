// The verbs of destinations.
import { apiPath } from '#shared/api-v3/api-path.ts'
import { isTaken } from '#shared/contracts/notifications/delivery-status.ts'
import { exitCodes, StartError, usageError } from '../../runtime/start-error.ts'
import { type Destination, destinationOf } from '../api/look-up-api.ts'
import type { Api } from '../api/with-api.ts'
import { withWorkspace } from '../api/with-workspace.ts'
import type { ApiOptions } from '../noun.ts'
import { firstLine } from '../people/read-password.ts'
import { printJson, printMade, printTable, say } from '../terminal/printing.ts'
import { membersSet } from './settings-set.ts'

interface Fields extends ApiOptions {
  to?: string
  set?: string[]
  channel?: string
  default?: boolean
}

interface CreateOptions extends Fields {
  type?: string
  sendOnOpen?: boolean
}

interface ChangeOptions extends Fields {
  name?: string
  enabled?: 'yes' | 'no'
  sendOnOpen?: 'yes' | 'no'
}

interface Delivery {
  at: string
  event: string
  status: string
  reason: string | null
  incident: string | null
}

export async function createDestination(name: string, options: CreateOptions): Promise<void> {
  const { sendOnOpen, to, set } = options
  if (to === undefined && set === undefined) throw usageError('Say where messages go: --to <url>, or --set <key=value>.')
  const type = options.type ?? (await import('#shared/channels/registry.ts')).plainChannel.type
  const made = await withWorkspace(options, async ({ api, root }) => {
    const places = { ...(await textsOf(options)), ...(await membersSet(api, type, set)) }
    const sent = { name, type, ...places, default: options.default, send_on_open: sendOnOpen }
    return api.send<Destination>('POST', `${root}/destinations`, sent)
  })
  if (options.json) return printJson(made)
  printMade(made.id, `Destination "${made.name}" is made${made.default ? ' and is the default' : ''}. Its id:`)
}

/** Returns the URL and the channel, if the options contain them. */
async function textsOf({ to, channel }: Fields): Promise<{ url?: string; channel?: string }> {
  return {
    ...(to !== undefined && { url: to === '-' ? await firstLine('address') : to }),
    ...(channel !== undefined && { channel: channel.replace(/^#/, '') }),
  }
}

export async function listDestinations(options: ApiOptions): Promise<void> {
  const all = await withWorkspace(options, ({ api, root }) => api.all<Destination>(`${root}/destinations`))
  if (options.json) return printJson(all)
  printTable(
    ['id', 'type', 'mark', 'state', 'name'],
    all.map(one => [one.id, one.type, one.default ? 'default' : '', one.enabled ? '' : 'disabled', one.name]),
  )
}

const ofDestination = <T>(
  named: string,
  options: ApiOptions,
  run: (api: Api, path: string, found: Destination) => Promise<T>,
): Promise<T> =>
  withWorkspace(options, async ({ api, workspace, root }) => {
    const found = await destinationOf(api, workspace.id, named)
    return run(api, `${root}${apiPath`/destinations/${found.id}`}`, found)
  })

export async function showDestination(named: string, options: ApiOptions): Promise<void> {
  const one = await ofDestination(named, options, async (_api, _path, found) => found)
  if (options.json) return printJson(one)
  const marks = [one.type, one.default && 'default', !one.enabled && 'disabled', one.send_on_open && 'sends on open']
  say(`${one.id} "${one.name}": ${marks.filter(mark => mark !== false).join(', ')}`)
}

export async function changeDestination(named: string, options: ChangeOptions): Promise<void> {
  const { name, enabled, sendOnOpen } = options
  const switches = {
    ...(enabled !== undefined && { enabled: enabled === 'yes' }),
    ...(sendOnOpen !== undefined && { send_on_open: sendOnOpen === 'yes' }),
    ...(options.default && { default: true }),
  }
  const sent = { ...(name !== undefined && { name }), ...(await textsOf(options)), ...switches }
  if (Object.keys(sent).length === 0 && options.set === undefined) {
    throw usageError('Say what to change: --name, --to, --set, --channel, --enabled or --default.')
  }
  const changed = await ofDestination(named, options, async (api, path, found) =>
    api.send<Destination>('PATCH', path, { ...sent, ...(await membersSet(api, found.type, options.set)) }),
  )
  if (options.json) return printJson(changed)
  say(`Destination ${changed.id} ("${changed.name}") is changed.`)
}

export async function testDestination(named: string, options: ApiOptions): Promise<void> {
  const outcome = await ofDestination(named, options, (api, path) =>
    api.send<{ status: string; reason: string | null; message?: string }>('POST', `${path}/test`),
  )
  if (options.json) printJson(outcome)
  else if (isTaken(outcome.status)) say(outcome.message ?? 'The test message is delivered.')
  if (!isTaken(outcome.status)) {
    const { reason, message } = outcome
    const why = message === undefined ? `(${reason ?? 'not_sent'}).` : `(${reason}): ${message}`
    throw new StartError(`The test message is not delivered ${why}`, exitCodes.refused)
  }
}

export async function listDeliveries(named: string, options: ApiOptions & { limit: number }): Promise<void> {
  const limit = Math.min(options.limit, 200)
  const rows = await ofDestination(named, options, (api, path) =>
    api.list<Delivery>(`${path}/deliveries`, { limit }, 'deliveries', options.limit),
  )
  if (options.json) return printJson(rows)
  printTable(
    ['at', 'event', 'status', 'reason', 'incident'],
    rows.map(row => [row.at, row.event, row.status, row.reason ?? '', row.incident ?? '']),
  )
}

export async function deleteDestination(named: string, options: ApiOptions): Promise<void> {
  const { found, deleted } = await ofDestination(named, options, async (api, path, found) => ({
    found,
    deleted: await api.send<{ id: string; deleted: true }>('DELETE', path),
  }))
  if (options.json) return printJson(deleted)
  const was = found.default ? ' It was the default: the workspace has none now.' : ''
  say(`Destination ${found.id} ("${found.name}") is deleted.${was}`)
}
