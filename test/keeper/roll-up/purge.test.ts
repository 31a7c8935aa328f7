// Purge of the stream: removes only messages that every partition has judged, and only from the stream that the checkpoints name.
import t from 'tap'
import { keys, subjects } from '#shared/bus/subjects.ts'
import type { CheckpointDocument } from '#shared/contracts/observations/checkpoint.ts'
import { partitionOf } from '#shared/text/hash.ts'
import type { KeeperContext } from '../../../services/keeper/context.ts'
import { purgeJudged } from '../../../services/keeper/partition/purge.ts'
import { createWorld } from '../world.ts'

const one = 'aaaaaaaaaa'
const other = 'bbbbbbbbbb'

/** Creates a stream with eight reports of two subjects in turn (sequences 1 to 8), and the checkpoints of the subjects' partitions. */
async function createStream() {
  const { client, store, hub } = createWorld()
  const publish = (subjectId: string) => client.observations.publish(subjects.observation('aaaa', subjectId), {})
  for (let turn = 0; turn < 4; turn++) for (const subjectId of [one, other]) await publish(subjectId)
  const { createdAt } = await client.observations.state()
  const judge = async (subjectId: string, sequence: number, streamCreatedAt = createdAt, rev = 1) => {
    const id = keys.lease(partitionOf(subjectId))
    const position = { streamCreatedAt, sequence, messageAt: 0, gaps: 0, writtenAt: 0, freshness: [], writer: 'test' }
    await store.replace('checkpoints', [{ id, rev, ...position } satisfies CheckpointDocument])
  }
  const purge = () => purgeJudged({ bus: client, store } as unknown as KeeperContext)
  const first = async () => (await client.observations.state()).firstSequence
  return { client, store, hub, judge, purge, first }
}

const cases: { title: string; judged: [string, number, string?][]; first: number }[] = [
  { title: 'nothing is judged', judged: [], first: 1 },
  { title: 'one partition has no checkpoint yet', judged: [[one, 7]], first: 2 },
  {
    title: 'one partition is behind',
    judged: [
      [one, 7],
      [other, 4],
    ],
    first: 6,
  },
  {
    title: 'one partition is behind within its own reports',
    judged: [
      [one, 3],
      [other, 8],
    ],
    first: 5,
  },
  {
    title: 'all are at their ends',
    judged: [
      [one, 7],
      [other, 8],
    ],
    first: 9,
  },
  {
    title: 'a checkpoint speaks of another stream',
    judged: [
      [one, 7, 'before'],
      [other, 8],
    ],
    first: 1,
  },
] // prettier-ignore

t.not(partitionOf(one), partitionOf(other), 'two partitions')

for (const { title, judged, first } of cases) {
  t.test(title, async t => {
    const stream = await createStream()
    for (const checkpoint of judged) await stream.judge(...checkpoint)
    await stream.purge()
    t.equal(await stream.first(), first)
    await stream.purge()
    t.equal(await stream.first(), first, 'and a second time changes nothing')
  })
}

t.test('purge removes nothing when the stream is created again while checkpoints are read', async t => {
  const { client, store, hub, judge, first } = await createStream()
  await judge(one, 7)
  await judge(other, 8)
  const observations = {
    ...client.observations,
    firstSequenceOf: async (partition: number, from: number) => {
      const found = await client.observations.firstSequenceOf(partition, from)
      if (partition === 63) {
        hub.recreateStream()
        // The new stream is longer than the old stream, so only the creation time distinguishes them.
        for (let turn = 0; turn < 9; turn++) await client.observations.publish(subjects.observation('aaaa', one), {})
      }
      return found
    },
  }
  await purgeJudged({ bus: { ...client, observations }, store } as unknown as KeeperContext)
  t.equal(await first(), 1)
})

t.test('purge removes nothing when the stream lost its end and checkpoints are beyond that end', async t => {
  const { client, hub, judge, purge, first } = await createStream()
  await judge(one, 7)
  await judge(other, 8)
  hub.truncateStream(4)
  await client.observations.publish(subjects.observation('aaaa', one), {})
  await purge()
  t.equal(await first(), 1, 'what came since is not judged')
  await judge(one, 5, undefined, 2)
  await judge(other, 4, undefined, 2)
  await purge()
  t.equal(await first(), 6, 'all is judged again')
})
