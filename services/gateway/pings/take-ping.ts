// Takes a ping: finds what it names, reads its body, sends it to the keeper of the Resource. What the ping means is decided by the keeper.
// Reference: docs/reference/v3.md, 17.4.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'
import type { PingTarget } from '#shared/contracts/ask/ask-pings.ts'
import type { Ping, PingBody } from '#shared/contracts/observations/ping.ts'
import { AppError } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { newTraceId } from '#shared/text/ids.ts'
import { firstCharacters } from '#shared/text/plain-text.ts'
import type { GatewayContext } from '../context.ts'
import { noteAccepted } from '../http/connections.ts'
import { withinBudget } from '../http/time-budget.ts'
import { commandId } from '../subjects/command-id.ts'
import { createPinged } from './create-pinged.ts'
import type { PingOutcome } from './ping-answers.ts'
import { readPingBody } from './ping-body.ts'
import { type Pinged, textOf } from './pings.ts'
import type { SentPing } from './read-ping.ts'

/** A ping, and what its sender says beside it. */
export interface TakenPing extends SentPing {
  value?: number | null
  reason?: string
  /** False: the body is read and dropped. */
  keepsBody: boolean
}

interface Sender {
  request: FastifyRequest
  reply: FastifyReply
}

const { answerMs } = limits.pings

/**
 * Returns the answer to the ping. `stored` and `created` are promises: the ping is stored, or is one that would change nothing. Rejects with
 * `unavailable` if nobody stored it in time; the time that the sender takes for the body does not count.
 */
export async function takePing(context: GatewayContext, ping: TakenPing, { request, reply }: Sender): Promise<PingOutcome> {
  const { clock, pings } = context
  const traceId = newTraceId()
  const found = await withinBudget(clock, request.arrivedAt, answerMs, find(context, ping))
  const refused = refusedBy(found, ping)
  if (found === null || refused !== null) return refused ?? 'unknown'
  noteAccepted(request, holderOf(found))
  const leftMs = answerMs - (clock.monotonic() - request.arrivedAt)
  const body = await readPingBody(request, reply, ping.keepsBody ? pings.options.bodyLimit : 0)
  if (body === 'tooLarge') return body
  const sent = { ping, command: commandOf(ping, { request, reply }, ping.keepsBody ? body : null), traceId }
  const storing = pings.queue.run(() => storeFound(context, sent, body === null ? found : null))
  return storing === null ? 'unavailable' : withinBudget(clock, clock.monotonic(), leftMs, storing)
}

const find = async ({ pings: { memory } }: GatewayContext, { name }: SentPing): Promise<Pinged | null> =>
  memory.known(textOf(name)) ?? (await memory.find(textOf(name)))

/** Returns why a ping is refused; null: it is not. */
function refusedBy(found: Pinged | null, { mayCreate, fault }: SentPing): PingOutcome | null {
  if (found === null || ('missing' in found && !mayCreate)) return 'unknown'
  return 'ambiguous' in found ? 'ambiguous' : fault
}

/** Holder of the connection: the Resource, or while there is none, the ping key. */
function holderOf(found: Pinged): string {
  if ('target' in found) return `ping:${found.target.subjectId}`
  return 'missing' in found ? `ping-key:${found.missing.keyId}` : 'ping'
}

type PingCommand = Static<typeof Ping>

interface Sent {
  ping: SentPing
  /** With an id that is the same at each retry on the bus. */
  command: PingCommand
  traceId: string
}

/** `found` null: it is looked up again, because a body may arrive long after its headers. */
async function storeFound(context: GatewayContext, sent: Sent, found: Pinged | null): Promise<PingOutcome> {
  const { ping, traceId } = sent
  const now = found ?? (await find(context, ping))
  const refused = refusedBy(now, ping)
  if (now === null || refused !== null) return refused ?? 'unknown'
  if ('target' in now) return (await store(context, sent, now.target)) ?? (await storeAgain(context, sent, now.target))
  if (!('missing' in now) || !('slug' in ping.name)) return 'unknown'
  const made = await createPinged(context, { ...now.missing, slug: ping.name.slug }, traceId)
  if (made === null) return 'unknown'
  const there = await find(context, ping)
  if (there === null || !('target' in there)) return refusedBy(there, { ...ping, mayCreate: false }) ?? 'unknown'
  const stored = (await store(context, sent, there.target)) ?? 'unknown'
  return stored === 'stored' && made.isMade ? 'created' : stored
}

/** Returns null if the keeper knows no such signal, or if the Resource is archived. */
async function store({ keeper }: GatewayContext, { command, traceId }: Sent, target: PingTarget): Promise<PingOutcome | null> {
  try {
    const { taken } = await keeper.send(target.subjectId, { ...command, signal: target.signal }, traceId)
    return taken === 'refused' ? 'refused' : 'stored'
  } catch (error) {
    if (error instanceof AppError && (error.code === 'not_found' || error.code === 'invalid_state')) return null
    throw error
  }
}

/** What was remembered may have changed: the key of a deleted Resource may belong to another one. */
async function storeAgain(context: GatewayContext, sent: Sent, before: PingTarget): Promise<PingOutcome> {
  context.pings.memory.revoke({ what: 'ping', id: before.subjectId })
  const now = await find(context, sent.ping)
  if (now === null || !('target' in now)) return refusedBy(now, { ...sent.ping, mayCreate: false }) ?? 'unknown'
  const { subjectId, signal } = now.target
  if (subjectId === before.subjectId && signal === before.signal) return 'unknown'
  return (await store(context, { ...sent, command: { ...sent.command, id: commandId() } }, now.target)) ?? 'unknown'
}

function commandOf(ping: TakenPing, { request }: Sender, body: PingBody | null): PingCommand {
  const { action, exitStatus, run, value = null, reason = '' } = ping
  return {
    kind: 'ping',
    id: commandId(),
    signal: '',
    ...{ action, exitStatus, run, value, reason, body },
    method: request.method,
    agent: firstCharacters(request.headers['user-agent'] ?? '', agentCharacters),
    from: firstCharacters(request.ip ?? '', addressCharacters),
  }
}

const agentCharacters = 200
const addressCharacters = 64
