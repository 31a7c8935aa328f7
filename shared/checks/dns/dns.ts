// The kind of check that asks a name server for the records of a name.
import type { Watching } from '#shared/contracts/subjects/check.ts'
import { type CheckKind, plainEntry } from '../check-kind.ts'
import { availabilityParts } from '../template-parts.ts'
import { watchFields } from '../watch-fields.ts'
import { type DnsAnswers, dnsFields } from './fields.ts'

const key = 'dns'

export const dns: CheckKind = {
  key,
  name: 'DNS',
  watches: 'A name (DNS)',
  help: 'Asks a name server for the records of a name, and judges the answer.',
  value: { name: 'Time', unit: 'ms' },
  fields: dnsFields,
  watch: watchFields(300),
  templates: [
    {
      key: 'dns-check',
      version: 1,
      name: 'DNS check',
      summary: 'Asks a name server from several locations and opens an Incident when enough of them get a wrong answer or none.',
      parts: availabilityParts(key, dnsFields, {
        help: 'The answer of the name server.',
        action: 'Ask the name server yourself, and look at the zone and at who may have changed it.',
      }),
    },
  ],
  shown: check => {
    const { name, record } = check as Watching & DnsAnswers
    return { method: record, target: name, url: '', host: name }
  },
  ...plainEntry(key, dnsFields),
}
