// Bytes of a body that arrive in chunks of any sizes: nothing is lost or reordered, and many small chunks take few buffers.
import t from 'tap'
import { KeptBytes } from '../../services/gateway/http/kept-bytes.ts'
import { Random } from '../simulation/random.ts'

t.test('chunks of any sizes are returned in their order', async t => {
  for (let seed = 1; seed <= 50; seed++) {
    const random = new Random(seed, 'chunks')
    const kept = new KeptBytes()
    const sent: Buffer[] = []
    for (let i = random.integer(0, 400); i > 0; i--) {
      const bytes = random.chance(0.1) ? random.integer(4_000, 70_000) : random.integer(0, 40)
      const chunk = Buffer.alloc(bytes, i)
      sent.push(chunk)
      kept.add(chunk)
    }
    t.ok(kept.take().equals(Buffer.concat(sent)), `seed ${seed}`)
    t.equal(kept.take().length, 0, 'they are kept no longer')
  }
})

t.test('only chunk of a body is not copied', async t => {
  const kept = new KeptBytes()
  const chunk = Buffer.from('{}')
  kept.add(chunk)
  t.equal(kept.take(), chunk)
})

t.test('1 MiB of single bytes is kept in less than 30 buffers', async t => {
  const kept = new KeptBytes()
  const byte = Buffer.from('a')
  for (let i = 0; i < 1_048_576; i++) kept.add(byte)
  t.ok(kept.buffers < 30, `${kept.buffers} buffers`)
  t.equal(kept.take().length, 1_048_576)
})
