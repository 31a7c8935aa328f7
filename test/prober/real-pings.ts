// Program that makes checks by ping with real sockets, which a test starts in a network namespace of its own. Writes the outcomes to its
// standard output, as JSON by their names. It ends by itself only if no check leaves a socket. The argument `silent`: nothing answers pings.
import { icmp } from '#shared/checks/icmp/icmp.ts'
import { createResolve } from '#shared/net/resolve.ts'
import { createSystemClock } from '#shared/time/clock.ts'
import type { CheckOutcome } from '../../services/prober/checks/checker.ts'
import { checkPing } from '../../services/prober/checks/icmp/icmp.ts'
import { contextWith, entryWith, outcomeOf } from './check-context.ts'

const clock = createSystemClock()
const context = contextWith({ clock, resolve: createResolve({ clock }) })
const check = (answers: Record<string, unknown>): Promise<CheckOutcome> =>
  outcomeOf(checkPing, entryWith(icmp, { timeout_seconds: 10, ...answers }), context)

const outcomes: Record<string, CheckOutcome> = {}
if (process.argv[2] === 'silent') {
  outcomes['silent'] = await check({ host: '127.0.0.1', count: 2, timeout_seconds: 1 })
} else {
  outcomes['IPv4'] = await check({ host: '127.0.0.1' })
  outcomes['IPv6'] = await check({ host: '::1' })
  outcomes['every ping'] = await check({ host: '127.0.0.1', max_lost: 0 })
  outcomes['name'] = await check({ host: 'localhost' })
  outcomes['no route'] = await check({ host: '192.0.2.1' })
  const hosts = Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? '127.0.0.1' : '::1'))
  const crowd = await Promise.all(hosts.map(host => check({ host, max_lost: 0 })))
  outcomes['crowd'] = crowd.find(({ ok }) => !ok) ?? (crowd[0] as CheckOutcome)
}
clock.stop()
process.stdout.write(JSON.stringify(outcomes))
