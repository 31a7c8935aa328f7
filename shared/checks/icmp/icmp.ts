// The kind of check that pings a host.
import type { Watching } from '#shared/contracts/subjects/check.ts'
import { type CheckKind, plainEntry } from '../check-kind.ts'
import { watchFields } from '../watch-fields.ts'
import { type IcmpAnswers, icmpFields } from './fields.ts'

export const icmp: CheckKind = {
  key: 'icmp',
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
    },
  ],
  shown: check => {
    const { host } = check as Watching & IcmpAnswers
    return { method: 'ping', target: host, url: '', host }
  },
  ...plainEntry('icmp', icmpFields),
}
