// `./watchkeeper resource ping-address`: the addresses to which the runs of a Resource report, over generation 3 of the API.
import type { Static } from 'typebox'
import { apiPath } from '#shared/api-v3/api-path.ts'
import type { PingAddressObject } from '../../../services/gateway/v3/pings/ping-addresses.ts'
import { exitCodes, StartError, usageError } from '../../runtime/start-error.ts'
import { resourceOf } from '../api/look-up-api.ts'
import { withWorkspace } from '../api/with-workspace.ts'
import type { ApiOptions } from '../noun.ts'
import { printJson, printMade } from '../terminal/printing.ts'
import { resourcePath } from './pairs.ts'

export interface PingAddressOptions extends ApiOptions {
  signal?: string
  rotate?: boolean
}

type PingAddress = Static<typeof PingAddressObject>

export async function showPingAddresses(named: string, options: PingAddressOptions): Promise<void> {
  const { signal, rotate = false } = options
  const shown = await withWorkspace(options, async ({ api, workspace, root }) => {
    const { id, key } = await resourceOf(api, workspace.id, named)
    const all = `${resourcePath(root, id)}/ping-addresses`
    const found = await api.call({ method: 'GET', path: all })
    const addresses = (found as PingAddress[]).filter(one => (signal ?? one.signal) === one.signal)
    const [first, ...others] = addresses
    if (first === undefined) throw new StartError(`Resource ${key} has no such signal with a schedule.`, exitCodes.notFound)
    if (!rotate) return addresses
    if (others.length > 0) throw usageError(`Say which with --signal: ${addresses.map(one => one.signal).join(', ')}.`)
    return [await api.send<PingAddress>('POST', all + apiPath`/${first.signal}/rotate`)]
  })
  if (options.json) return printJson(shown)
  for (const one of shown) printMade(one.url, `Signal ${one.signal}. Whoever has the address may report:`)
}
