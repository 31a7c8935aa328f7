// Program: the gateway without a keeper. It authenticates the key, checks the body, sends the command as JSON to itself over a bus within
// the process, and responds. Judges nothing. If the third argument names the file of a store, the gateway first responds to reports and
// then stores many of them at once.
import { Registry } from 'prom-client'
import { createLocalRequests, type LocalRequest } from '#shared/bus/clients/local-requests.ts'
import type { Bus } from '#shared/bus/port.ts'
import { parseCommand, parseVerb } from '#shared/bus/subjects.ts'
import type { Identity } from '#shared/contracts/ask/ask.ts'
import type { PushedObservationDocument } from '#shared/contracts/observations/observation.ts'
import type { CommandOf } from '#shared/contracts/subjects/command.ts'
import type { CustomSubjectView, ObservationView } from '#shared/contracts/subjects/subject-views.ts'
import { day, limits } from '#shared/limits/limits.ts'
import { createLogger } from '#shared/observability/logger.ts'
import type { Store } from '#shared/store/port.ts'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { pushedRow } from '#shared/subjects/pushed-row.ts'
import { idLength, pushedObservationId, randomId } from '#shared/text/ids.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import { makeToken } from '#shared/tokens/api-token.ts'
import { createGateway } from '../../../services/gateway/app.ts'
import type { Listening } from './bare-receivers.ts'

const [workspaceId = '', signals = '', file = ''] = process.argv.slice(2)
const rowsAtOnce = 512
const store = file === '' ? null : await openSqliteStore(file)

const clock = createSystemClock()
const local = createLocalRequests(clock)
const bus = {
  request: async (subject: string, body: unknown, { timeoutMs, traceId = '' }: { timeoutMs: number; traceId?: string }) =>
    JSON.parse((await local.ask({ subject, text: JSON.stringify(body), traceId }, timeoutMs)) ?? 'null'),
  bucket: () => ({ watch: async () => ({ close: async () => undefined }) }),
  connected: () => true,
  onConnection: () => () => undefined,
} as unknown as Bus

const serve = (subject: string, answer: (request: LocalRequest) => unknown) =>
  local.add({
    subject,
    queue: undefined,
    take: (request, respond) => respond(JSON.stringify({ ok: true, result: answer(request) })),
  })

serve('ask.directory.*', ({ subject, text = '{}' }) => {
  const asked = JSON.parse(text)
  if (parseVerb(subject) === 'authenticate') return identity()
  return parseVerb(subject) === 'find-subjects' ? { subject: subjectOf(asked.slug), workspaceIds: [workspaceId] } : null
})
serve('cmd.*.*', ({ subject, text = '{}' }) => {
  const command: CommandOf<'report-observation'> = JSON.parse(text)
  const observation = accepted(command)
  if (store !== null) storeLater(store, parseCommand(subject)?.subjectId ?? '', command.signal, observation)
  return observation
})

const identity = (): Identity => ({
  scope: null,
  keyId: 'key',
  keyPrefix: 'wk_',
  userId: 'user',
  displayName: 'bench',
  admin: false,
  disabled: false,
  expiresAt: clock.now() + day,
  memberships: [{ workspaceId, role: 'owner' }],
})

function subjectOf(slug: string): CustomSubjectView {
  const signalViews = signals.split(',').map(name => ({ slug: name, name, kind: 'custom_heartbeat', meta: '{}' }) as const)
  const place = { id: randomId(idLength.subject), workspaceId, slug, name: slug, kind: 'custom' } as const
  return { ...place, template: null, signals: signalViews, rules: [], maintenance: null, createdAt: clock.now() }
}

function accepted({ observedAtUs, status, value, error, labels }: CommandOf<'report-observation'>): ObservationView {
  const receivedAtUs = clock.now() * 1_000
  const report = { status, value, error, labels, observedAtUs: observedAtUs ?? receivedAtUs }
  return { ...report, receivedAtUs, accepted: true, rejectReason: 'accepted' }
}

let rows: PushedObservationDocument[] = []
function storeLater(store: Store, subjectId: string, signal: string, observation: ObservationView): void {
  const { labels, observedAtUs, receivedAtUs } = observation
  const expireAt = receivedAtUs / 1_000 + limits.retention.pushedMs
  if (rows.push(pushedRow(pushedObservationId(subjectId, signal, labels, observedAtUs), observation, expireAt)) < rowsAtOnce)
    return
  void store.upsert('pushedObservations', rows)
  rows = []
}

const context = { bus, clock, logger: createLogger('silent'), metrics: new Registry() }
const { fastify } = await createGateway(context, { version: 'bench', incidentSalt: 'bench' })
process.send?.({ url: await fastify.listen({ host: '127.0.0.1', port: 0 }), key: makeToken() } satisfies Listening)
