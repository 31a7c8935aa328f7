// The simulation of placement (test/simulation/placement.ts), at a size that takes a second: keepers that only hold leases.
import t from 'tap'
import { limits } from '#shared/limits/limits.ts'
import { createPlacement } from '../../simulation/placement/placement.ts'

t.test('all partitions are held again within 10 s when two of six keepers die at once', async t => {
  const placement = createPlacement({ partitions: limits.partitions, writesPerSecond: 10_000 })
  await placement.startEven(6)
  t.ok(placement.isCovered())
  t.ok(placement.isEven())
  const diedAt = placement.elapsed()
  placement.kill(2)
  t.notOk(placement.isCovered())
  const tookMs = await placement.until(placement.isCovered, diedAt, 10_000)
  t.ok(tookMs !== null && tookMs > limits.keeper.leaseStaleMs - limits.keeper.leaseRenewMs, `after ${tookMs} ms`)
})

t.test('keeper that joins gets its share, and no partition moves twice', async t => {
  const placement = createPlacement({ partitions: limits.partitions, writesPerSecond: 10_000 })
  await placement.startEven(3)
  const joinedAt = placement.elapsed()
  const [spread, moves] = await placement.measure(async () => {
    await placement.join()
    t.not(await placement.until(placement.isEven, joinedAt, 60_000), null)
  })
  t.equal(spread, '0')
  t.equal(moves, '16')
})

t.test('ten keepers that start on an empty bus share the partitions, and none moves twice', async t => {
  const placement = createPlacement({ partitions: limits.partitions, writesPerSecond: 10_000 })
  const [spread, moves] = await placement.measure(async () => {
    await placement.startEmpty(10)
    t.not(await placement.until(placement.isEven, 0, 60_000), null)
  })
  t.equal(spread, '1')
  const mostMoved = limits.partitions - Math.floor(limits.partitions / 10)
  t.ok(Number(moves) <= limits.partitions + mostMoved, `${moves} leases were taken`)
})

t.test('nothing is given to a keeper that has just died', async t => {
  const placement = createPlacement({ partitions: limits.partitions, writesPerSecond: 10_000 })
  await placement.startEven(100)
  const diedAt = placement.elapsed()
  placement.kill(10)
  const tookMs = await placement.until(placement.isCovered, diedAt, 10_000)
  t.ok(tookMs !== null && tookMs <= limits.keeper.leaseStaleMs, `after ${tookMs} ms`)
})
