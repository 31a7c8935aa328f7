// Program that does the least possible work for each report: Fastify reads the body, the store writes the row, and the response is sent. It
// checks no key, no role and no body, judges nothing, and uses no bus. Argument: the file of the store.
import { fastify as createFastify } from 'fastify'
import { openSqliteStore } from '#shared/store/sqlite/sqlite.ts'
import { pushedObservationId } from '#shared/text/ids.ts'
import { parseTimestamp } from '../../../services/gateway/body/rfc3339.ts'
import type { Listening } from './bare-receivers.ts'

interface Sent {
  status: 'ok' | 'problem'
  observed_at: string
  value: number
  error: string
}

const store = await openSqliteStore(process.argv[2] as string)
const fastify = createFastify()
fastify.post('/api/v2/subjects/:subject/signals/:signal/observations', async request => {
  const { subject = '', signal = '' } = request.params as Record<string, string>
  const { status, observed_at, value, error } = request.body as Sent
  const receivedAt = Date.now()
  const row = { receivedAtUs: receivedAt * 1_000, ok: status === 'ok' ? 1 : 0, value, error: error || null } as const
  const id = pushedObservationId(subject.padEnd(10, '_'), signal, {}, parseTimestamp(observed_at) ?? 0)
  await store.upsert('pushedObservations', [
    { id, ...row, labels: null, rejectReason: null, expireAt: null, sentId: null, body: null, source: null },
  ])
  const received_at = new Date(receivedAt).toISOString()
  const kept = { subject_id: subject, signal_id: signal, observed_at, received_at, status, value, error, labels: {} }
  return { result: { ...kept, accepted: true, reject_reason: 'accepted', kind: 'observation' }, error: null }
})
process.send?.({ url: await fastify.listen({ host: '127.0.0.1', port: 0 }), key: 'none' } satisfies Listening)
