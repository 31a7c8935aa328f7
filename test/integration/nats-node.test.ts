// A cluster, with every service in a process of its own, loses one of its three NATS servers. It still accepts writes and heartbeats, sends
// no wrong message, and loses nothing. `npm run faults` runs this test longer.
import t from 'tap'
import { second } from '#shared/limits/limits.ts'
import { setClusterStage } from '../faults/cluster-stage.ts'
import { live } from '../faults/life.ts'
import { planNatsNode } from '../faults/nats-node.ts'
import { Random } from '../simulation/random.ts'

/** Twice the 10 s of docs/detection.md, because the machine may be busy with other tests. A heartbeat comes every 5 s. */
const boundMs = 20 * second

t.test(
  'cluster reports nothing false and loses nothing when one NATS server of three freezes',
  { timeout: 600 * second },
  async t => {
    const stage = await setClusterStage()
    if (stage === null) return
    t.teardown(() => stage.stop())
    const random = new Random(1, 'nats-node')
    const { fault, failures, ...outcome } = await live(stage, random, planNatsNode(stage, random))
    t.match(outcome, { wrong: [], lost: [], repeated: [], missing: [] })
    t.ok(outcome.writeGapMs < boundMs && outcome.reportGapMs < boundMs + 5 * second, 'writes and heartbeats are taken')
    const { writeGapMs, reportGapMs, failedRequests, latestMs } = outcome
    t.comment(`${fault}: no write for ${writeGapMs} ms, no report of one sender for ${reportGapMs} ms, told ${latestMs} ms late`)
    t.comment(`${failedRequests} requests failed: ${failures.join(' | ')}`)
  },
)
