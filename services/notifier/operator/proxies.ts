// Condition about a proxy that TRUST_PROXY does not name. Each gateway says in its presence entry whether it has seen such a proxy since its
// start. The condition ends when no gateway has said so for limits.operator.quietMs, so that a restart alone does not end it.
import { untrustedProxyIn } from '#shared/bus/gateway-sign.ts'
import { keys } from '#shared/bus/subjects.ts'
import { limits } from '#shared/limits/limits.ts'
import { type Conditions, cleared, type Watcher } from './conditions.ts'
import type { OperatorContext } from './context.ts'
import { bounded, type Notice } from './message.ts'

const kind = 'proxy_untrusted'
const { seenMs, quietMs } = limits.operator

export function watchProxies({ bus, clock }: OperatorContext, conditions: Conditions): Watcher {
  return {
    look: async () => {
      const gateways = await bus.bucket('presence').list(keys.allGateways)
      const [address = null] = gateways.flatMap(({ value }) => untrustedProxyIn(value) ?? [])
      const known = conditions.byId(kind)
      const now = clock.now()
      if (address !== null) {
        if (known?.raised === 1) {
          if (now - known.seenAt >= seenMs) await conditions.noteSeen([{ document: known, seenAt: now }])
          return
        }
        const name = bounded(address)
        const found = { name, raised: true, since: now, seenAt: now, notice: untrusted(name) }
        await conditions.change(kind, '', present => (present?.raised === 1 ? null : found))
      } else if (known?.raised === 1 && gateways.length > 0 && now - known.seenAt >= quietMs) {
        await conditions.clear(kind, '', present => cleared(present, settled(present.name)))
      }
    },
  }
}

const untrusted = (address: string): Notice => ({
  type: 'proxy.untrusted',
  summary: `People come through a proxy at ${address} that is not trusted: set TRUST_PROXY to its address at every gateway, else all of them seem to be one client.`,
  log: 'proxy is not trusted',
  details: { address },
})

const settled = (address: string): Notice => ({
  type: 'proxy.settled',
  summary: `No gateway sees a proxy that is not trusted any more; the last was at ${address}.`,
  log: 'no untrusted proxy any more',
  details: { address },
})
