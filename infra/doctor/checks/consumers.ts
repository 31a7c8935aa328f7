// Consumers of each stream: a server allows a fixed number, and feeds and watches are consumers.
import type { Facts } from '../facts.ts'
import { type Finding, fault, warning, well } from '../finding.ts'

/** Limit of nats-server 2.15 where neither stream nor account names one (`default_max_consumers`). */
const usualMost = 1_000
const nearShare = 0.8

export function checkConsumers({ bus }: Facts): Finding[] {
  if (bus.state !== 'looked' || bus.streams === null) return []
  const present = bus.streams.filter(({ isPresent }) => isPresent)
  if (present.length === 0) return []
  const findings = present.flatMap(({ name, consumers, mostConsumers }) => {
    const most = mostConsumers > 0 ? mostConsumers : usualMost
    if (consumers < nearShare * most) return []
    const what = `${name} has ${consumers} consumers of ${most}.`
    const why = 'Each keeper, gateway and prober needs some. At the limit, what starts or reconnects hears nothing.'
    const remedy =
      'Set `jetstream { limits { default_max_consumers: -1 } }` at every NATS server and reload it; then find out who makes them.'
    return [consumers >= most ? fault(what, why, remedy) : warning(what, why, remedy)]
  })
  const most = Math.max(...present.map(({ consumers }) => consumers))
  return findings.length > 0 ? findings : [well(`At most ${most} of a stream.`)]
}
