// The kind of check that pings a host.
import type { Watching } from '#shared/contracts/subjects/check.ts'
import { type CheckKind, plainEntry } from '../check-kind.ts'
import { slowMs } from '../slowness.ts'
import { availabilityParts, reachability, slowRule } from '../template-parts.ts'
import { watchFields } from '../watch-fields.ts'
import { type IcmpAnswers, icmpFields } from './fields.ts'

const key = 'icmp'
const { signals, rules } = availabilityParts(key, icmpFields, {
  help: 'Replies of the host.',
  action: 'Look whether the machine runs, and whether its network is there.',
})

export const icmp: CheckKind = {
  key,
  name: 'Ping',
  watches: 'A machine (ping)',
  help: 'Pings a host and waits for replies.',
  value: { name: 'Quickest round trip', unit: 'ms' },
  fields: icmpFields,
  watch: watchFields(60),
  templates: [
    {
      key: 'ping-check',
      version: 1,
      name: 'Ping check',
      summary: 'Pings a host from several locations and opens an Incident when enough of them get no reply.',
      fields: [slowMs],
      parts: {
        signals,
        rules: [...rules, slowRule(reachability, slowMs, 'Look at the load of the network on the way to the host.')],
      },
    },
  ],
  shown: check => {
    const { host } = check as Watching & IcmpAnswers
    return { method: 'ping', target: host, url: '', host }
  },
  ...plainEntry(key, icmpFields),
}
