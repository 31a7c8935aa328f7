// Ping addresses of a Resource: read and replace. Whoever has an address may ping, so only editors with a full key read them. Reference:
// docs/reference/v3.md, 17.5.
import { randomUUID } from 'node:crypto'
import { Type } from 'typebox'
import type { PingAddress } from '#shared/contracts/ask/ask-pings.ts'
import type { ResourceView } from '#shared/contracts/resources/resource-views.ts'
import { AppError } from '#shared/errors.ts'
import { scheduledSignalsOf } from '#shared/manifest/read-schedule.ts'
import { idLength, randomId } from '#shared/text/ids.ts'
import { Answered, OrNull } from '../../body/result-schema.ts'
import type { GatewayContext } from '../../context.ts'
import { pathPart } from '../../http/answer.ts'
import { noSuch, route, type V3Call } from '../common.ts'
import { baseOf } from '../observations/addresses.ts'
import { findResource } from '../resources/resources.ts'

const all = '/workspaces/:workspace/resources/:resource/ping-addresses'
const needs = { role: 'editor', scope: 'full' } as const

export const PingAddressObject = Answered('PingAddress', {
  signal: Type.String({ description: 'The key of a scheduled signal.', examples: ['run'] }),
  url: Type.String({ description: 'Where runs report.', examples: ['https://watch.example.com/ping/PING_ID'] }),
  push_url: OrNull(
    Type.String({
      description: 'The same in the manner of Uptime Kuma; null while KUMA_PUSH is off.',
      examples: ['https://watch.example.com/api/push/PUSH_TOKEN'],
    }),
  ),
})

const list = route('GET', all, {
  summary: 'Ping addresses of the scheduled signals of the Resource.',
  more: 'Whoever has an address may ping. An archived Resource has none.',
  needs,
  isAudited: true,
  find: findResource,
  result: Type.Array(PingAddressObject),
  handler: async (context, call) => {
    const { workspaceId, found, traceId } = call
    const signals = found.archivedAt === null ? await scheduledOf(context, found, traceId) : []
    if (signals.length === 0) return []
    const asked = { workspaceId, subjectId: found.id, signals }
    return (await context.directory.ask('list-ping-addresses', asked, traceId)).map(shownBy(context, call))
  },
})

const rotate = route('POST', `${all}/:signal/rotate`, {
  summary: 'Makes a new ping address of the signal. The old one is unknown within a second.',
  more: 'While the Resource is archived: 409.',
  needs,
  find: findResource,
  result: PingAddressObject,
  refusals: ['409'],
  handler: async (context, call) => {
    const { workspaceId, found, traceId } = call
    const signal = pathPart(call, 'signal')
    if (!(await scheduledOf(context, found, traceId)).includes(signal)) throw noSuch('Scheduled signal')
    if (found.archivedAt !== null)
      throw new AppError('invalid_state', `Resource ${found.key} is archived and has no ping address`)
    const made = { id: randomUUID() as string, pushToken: randomId(idLength.pushToken) }
    const asked = { workspaceId, subjectId: found.id, signal, ...made }
    return shownBy(context, call)(await context.directory.ask('rotate-ping-address', asked, traceId))
  },
})

/** Returns the keys of the scheduled signals of a Resource; none if its Template is damaged. */
async function scheduledOf(
  { directory }: Pick<GatewayContext, 'directory'>,
  { workspaceId, template: reference }: ResourceView,
  traceId: string,
): Promise<string[]> {
  const template = reference && (await directory.ask('get-template', { workspaceId, reference }, traceId))
  return template && template !== 'damaged' ? scheduledSignalsOf(template).map(({ key }) => key) : []
}

const shownBy =
  (context: GatewayContext, call: V3Call) =>
  ({ signal, id, pushToken }: PingAddress) => {
    const base = baseOf(context, call)
    const push_url = context.pings.options.kumaPush ? `${base}/api/push/${pushToken}` : null
    return { signal, url: `${base}/ping/${id}`, push_url }
  }

export const pingAddressRoutes = [list, rotate]
