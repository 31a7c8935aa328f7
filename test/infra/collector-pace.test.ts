// How far the heap may grow between two full collections, by when they came.
import t from 'tap'
import { limits } from '#shared/limits.ts'
import { createGrowth, followCollector } from '../../infra/embedded/collector-pace.ts'
import { createHandClock } from '../support/hand-clock.ts'

const { growthPercentMin: least, growthPercentMax: most, everyMs } = limits.collector

t.test('collections that come too often get more room, until they come as seldom as wanted', async t => {
  const growth = createGrowth()
  t.equal(growth.collected(0), least, 'one says nothing yet')
  t.equal(growth.collected(everyMs / 4), 4 * least)
  t.equal(growth.collected(everyMs / 2), 4 * least, 'the room between these two was still the first one')
  t.equal(growth.collected(everyMs / 2 + everyMs), 4 * least, 'as seldom as wanted: it stays')
})

t.test('a pair of collections makes no busy time, nor does one that comes a little early', async t => {
  const growth = createGrowth()
  const instants = [0, 1, 1.01, 2, 2.02, 2.8].map(times => times * everyMs)
  for (const at of instants) t.equal(growth.collected(at), least, `at ${at}`)
})

t.test('the room never goes beyond its bounds', async t => {
  const growth = createGrowth()
  for (let i = 0; i < 10; i++) t.ok(growth.collected(i * 10) <= most)
  t.equal(growth.collected(100), most)
  for (let i = 1; i < 10; i++) t.ok(growth.collected(100 * i * everyMs) >= least)
  t.equal(growth.collected(1_000 * everyMs), least)
})

t.test('after a busy time the room is the least again, whatever the next collection was waited for', async t => {
  const growth = createGrowth()
  for (let at = 0; at < 10; at++) growth.collected(at)
  t.equal(growth.calmed(), least)
  t.equal(growth.collected(1_000_000), least)
})

t.test('a process that was not started with the flags is left alone', async t => {
  followCollector(createHandClock(), ['--expose-gc']).stop()
  t.pass('nothing was observed or moved')
})
