// State of a stream whose leader is being elected. The answers are those of nats-servers of which one came back from a cut: for eight seconds
// they named no leader, refused each message, and still answered with the state that they had.
import type { StreamInfo } from '@nats-io/jetstream'
import t from 'tap'
import { LedSequences } from '#shared/bus/nats/nats-led-sequences.ts'
import { ledStream } from '#shared/bus/nats/nats-led-stream.ts'

const answering = (cluster: object | undefined) => {
  const info = { state: { last_seq: 7 }, ...(cluster && { cluster }) } as unknown as StreamInfo
  const manager = { streams: { info: async () => info } }
  return { manager, led: new LedSequences() } as unknown as Parameters<typeof ledStream>[0]
}
const replicas = [{ name: 'nats-1', current: true, active: 3_657_496_714, peer: 'yrzKKRBu' }]

for (const [title, cluster] of [
  ['a server without a cluster', undefined],
  ['the leader of three servers', { name: 'test', leader: 'nats-3', replicas }],
] as const)
  t.test(`state of a stream is that of ${title}`, async t => {
    t.match(await ledStream(answering(cluster), 'OBSERVATIONS'), { state: { last_seq: 7 } })
  })

t.test('state of a stream without a leader is no answer', async t => {
  await t.rejects(ledStream(answering({ name: 'test', replicas }), 'OBSERVATIONS'), {
    kind: 'unavailable',
    message: 'The stream OBSERVATIONS has no leader.',
  })
})
