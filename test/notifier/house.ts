// World of the notifier's tests: a clock that the test advances, a bus in memory, real HTTP receivers, and initial documents.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import type { Bus } from '#shared/bus/port.ts'
import { subjects } from '#shared/bus/subjects.ts'
import { templateFields } from '#shared/channels/message/template-fields.ts'
import { linkOf } from '#shared/channels/message/words.ts'
import type { MessageFacts, MessageLinks } from '#shared/channels/port.ts'
import { readAnswer } from '#shared/channels/read-answer.ts'
import { channelOf } from '#shared/channels/registry.ts'
import type { AlertDocument, AlertFacts } from '#shared/contracts/incidents/alert.ts'
import type { IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import type { DestinationDocument } from '#shared/contracts/notifications/destination.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Service } from '#shared/service.ts'
import type { Store } from '#shared/store/port.ts'
import { startNotifier } from '../../services/notifier/app.ts'
import type { NotifierOptions } from '../../services/notifier/context.ts'
import type { Message } from '../../services/notifier/send/sender.ts'
import { createMemoryHub, type MemoryHub } from '../support/bus/memory-bus.ts'
import { createMemoryStore } from '../support/store/memory-store.ts'
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock.ts'

export const startAt = Date.UTC(2026, 0, 5, 12)

/** Checks the condition at each turn of the event loop; fails after a minute of real time. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + 60_000
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Did not come about: ${what}`)
    await new Promise(resolve => setImmediate(resolve))
  }
}

export interface Hit {
  method: string
  path: string
  headers: IncomingHttpHeaders
  body: string
}

export interface Answer {
  status: number
  headers?: Record<string, string>
  body?: string
}

export interface Receiver {
  url: string
  hits: Hit[]
  /** Resolves when the receiver has been called this number of times. */
  called(times: number): Promise<void>
  close(): Promise<void>
}

/** `answer` returns the response by the number of the call, from 1; null: no response is ever sent. */
export async function createReceiver(answer: (call: number, hit: Hit) => Answer | null | Promise<Answer>): Promise<Receiver> {
  const hits: Hit[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { method = '', url: path = '' } = request
    const hit = { method, path, headers: request.headers, body: Buffer.concat(chunks).toString() }
    hits.push(hit)
    const given = await answer(hits.length, hit)
    if (given) reply(response, given)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hooks/T0secretT0/B1secretB1?token=hunter2hunter2`,
    hits,
    called: times => until(() => hits.length >= times, `call ${times}, there were ${hits.length}`),
    close: () => {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}

function reply(response: ServerResponse, { status, headers, body }: Answer): void {
  response.writeHead(status, headers)
  response.end(body ?? '')
}

/** Replacements for parts of a notifier. `exclusive` is true if it is absent: then no presence is announced, which takes long in simulated days. */
export type Over = { store?: Store } & Pick<
  NotifierOptions,
  'operatorWebhook' | 'egress' | 'exclusive' | 'deadNotifiers' | 'linkBase' | 'secretsKey'
>

export interface RunningNotifier extends Service {
  metrics: Registry
  /** Disconnects this notifier from the bus, or reconnects it. */
  setBus(up: boolean): void
}

export interface House {
  store: Store
  clock: VirtualClock
  /** All log lines of the notifiers, as JSON. */
  log: string[]
  nudge(...alertIds: string[]): void
  /** Opens another connection to the bus. */
  connect(): Bus
  /** Removes the leaders of these parts of the bus; all other parts have a leader afterwards. */
  depose: MemoryHub['depose']
  /** Disconnects all notifiers from the bus, or reconnects them. */
  setBus(up: boolean): void
  start(notifierId: string, over?: Over): Promise<RunningNotifier>
  /** Stops a notifier and advances the clock while the stop waits. */
  stop(service: Service): Promise<void>
}

export function createHouse(): House {
  const store = createMemoryStore()
  const clock = createVirtualClock(startAt)
  const log: string[] = []
  const hub = createMemoryHub({ clock })
  const teller = hub.connect()
  const buses: Bus[] = []
  return {
    store,
    clock,
    log,
    nudge: (...alertIds) => teller.publish(subjects.alertNudge, { alertIds }),
    connect: () => hub.connect(),
    depose: hub.depose,
    setBus: up => {
      for (const bus of buses) up ? hub.restore(bus) : hub.cut(bus)
    },
    start: async (notifierId, { store: other, ...over } = {}) => {
      const metrics = new Registry()
      const logger = pino({ level: 'trace' }, { write: line => void log.push(line) })
      const bus = hub.connect()
      buses.push(bus)
      const service = await startNotifier(
        { store: other ?? store, clock, bus, logger, metrics },
        { ...options, exclusive: true, ...over, notifierId },
      )
      return { ...service, metrics, setBus: up => (up ? hub.restore(bus) : hub.cut(bus)) }
    },
    stop: async service => {
      const stopping = service.stop()
      await clock.advance(limits.notifier.stopMs)
      await stopping
    },
  }
}

export const options = {
  version: '2.0.0',
  serviceUrl: 'https://status.example.com',
  publicUrl: 'https://status.example.com',
  incidentSalt: 'grain',
  jitter: () => 0,
}

let numbers = 0

export function destination(id: string, url: string, over: Partial<DestinationDocument> = {}): DestinationDocument {
  return {
    id,
    rev: 1,
    number: ++numbers,
    workspaceId: `workspace-${id}`,
    name: `Destination ${id}`,
    nameKey: `destination ${id}`,
    type: 'webhook',
    channel: '',
    url,
    enabled: true,
    sendOnOpen: false,
    default: true,
    defaultAt: startAt,
    transformationId: null,
    createdAt: startAt,
    updatedAt: startAt,
    ...over,
  }
}

export const facts: AlertFacts = {
  subjectName: 'Shop',
  subjectSlug: 'shop',
  ruleKey: 'availability',
  ruleName: '',
  template: 'website-check@1',
  url: 'https://shop.example.com/',
  fields: { method: 'GET', interval_value: 1 },
  fieldsOmitted: 2,
  evidence: {
    inputs: [
      { input: 'de01', value: 'problem', at: startAt - 1_000, reason: 'connection refused' },
      { input: 'fr01', value: 'ok', at: startAt - 2_000, reason: null },
      { input: 'us01', value: 'unknown', at: null, reason: null },
    ],
    omitted: 0,
    truncated: false,
  },
  failing: ['de01'],
  unknown: ['us01'],
  ok: ['fr01'],
  problems: [],
  silence: null,
  error: 'connection refused',
  explanation: '1 of 3 locations failing',
  troubleSince: startAt - 120_000,
  confirmedAt: startAt,
  wellSince: null,
  closedAt: null,
}

/** Returns the body that the channel of this type makes. */
export function builtInBody(
  given: AlertDocument,
  { type, channel }: Pick<DestinationDocument, 'type' | 'channel'>,
  context: { encodeIncidentId(id: string): string; locationName(id: string): string },
): string {
  const links = linksOf(given, options.publicUrl)
  return channelOf(type).render(factsOf(given, context), 'problem', channel === '' ? {} : { channel }, links)?.body ?? ''
}

type Words = Parameters<typeof builtInBody>[2]

/** Returns the fields of payload templates. `guard`: makes text from outside safe. */
export const templateFieldsOf = (
  given: AlertDocument,
  context: Words & { publicUrl: string; workspaceName: string },
  guard = (text: string) => text,
) => templateFields(factsOf(given, context), linksOf(given, context.publicUrl), context.workspaceName, guard)

const factsOf = (given: AlertDocument, { encodeIncidentId, locationName }: Words): MessageFacts => ({
  alert: given,
  incident: encodeIncidentId(given.incidentId),
  locationName,
})
const linksOf = (given: AlertDocument, publicUrl: string): MessageLinks => ({ subject: linkOf(given, publicUrl) })

/** Returns a message with an empty JSON object, as a signed channel sends it. */
export const messageTo = (url: string, idempotencyKey = 'msg_1', body = '{}'): Message => ({
  ...{ method: 'POST', url, headers: {}, contentType: 'application/json', body, secrets: [url], read: readAnswer, mail: null },
  marks: { idempotencyKey, madeAt: startAt, signature: null },
  to: () => messageTo(url, idempotencyKey, body),
})

/** Returns an alert with this number within an incident, for a workspace with one destination. */
export function alert(destinationId: string, incident: string, number: number, over: Partial<AlertDocument> = {}): AlertDocument {
  const incidentId = `${incident.padEnd(10, 'x')}.1`
  return {
    id: `${incidentId}.a${number}`,
    rev: 1,
    workspaceId: `workspace-${destinationId}`,
    subjectId: incident.padEnd(10, 'x'),
    incidentId,
    number,
    kind: 'problem',
    reminder: false,
    held: null,
    decidedAt: startAt,
    facts,
    state: 'open',
    deliveries: null,
    expireAt: startAt + 1e9,
    ...over,
  }
}

/** Returns the open incident of an alert, as a keeper writes it. */
export const incidentOf = ({
  workspaceId,
  incidentId,
  subjectId,
  facts: { subjectSlug, ruleKey, ruleName, ...said },
}: AlertDocument): IncidentDocument => ({
  ...{
    id: incidentId,
    rev: 1,
    subjectId,
    resourceKey: subjectSlug,
    workspaceId,
    ruleKey,
    rule: { key: ruleKey, name: ruleName },
  },
  ...{ action: null, ruleShown: ruleKey, number: 1, open: 1, facets: 1, status: 'problem', condition: 'problem' },
  ...{ troubleSince: said.troubleSince, confirmedAt: said.confirmedAt, wellSince: null, closedAt: null, closedReason: null },
  ...{ acknowledgedAt: null, acknowledgedBy: null, acknowledgedVia: null, effectiveAt: said.troubleSince },
  ...{ explanation: said.explanation, evidence: said.evidence, deadlineAt: null },
})
