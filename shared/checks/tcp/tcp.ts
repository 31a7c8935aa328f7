// The kind of check that connects to a port.

import type { Watching } from '#shared/contracts/subjects/check.ts'
import { parseHost, parseHostPort } from '#shared/net/host-port.ts'
import { type CheckKind, plainEntry } from '../check-kind.ts'
import { availabilityParts } from '../template-parts.ts'
import { watchFields } from '../watch-fields.ts'
import { type TcpAnswers, tcpFields } from './fields.ts'

const key = 'tcp'

export const tcp: CheckKind = {
  key,
  name: 'Port',
  watches: 'A port',
  help: 'Connects to a port, with TLS if wanted, sends a text and looks for another one in the answer.',
  value: { name: 'Time', unit: 'ms' },
  fields: tcpFields,
  watch: watchFields(60),
  keepsAnswers: true,
  templates: [
    {
      key: 'tcp-check',
      version: 1,
      name: 'Port check',
      summary: 'Connects to a port from several locations and opens an Incident when enough of them fail.',
      parts: availabilityParts(key, tcpFields, {
        help: 'The connection to the port.',
        action: 'Look whether the service runs, and whether a firewall is before it.',
      }),
    },
  ],
  typed: target => {
    const read = parseHostPort(target, 0)
    return read && { host: read.hostname, port: read.port }
  },
  aim: check => {
    const { host, port, tls: secure, verify, authority } = check as Watching & TcpAnswers
    return JSON.stringify([host, port, secure, verify, authority])
  },
  shown: check => {
    const { host, port } = check as Watching & TcpAnswers
    const hostname = parseHost(host) ?? ''
    const target = `${hostname.includes(':') ? `[${hostname}]` : hostname}:${port}`
    return { method: 'TCP', target, url: '', host: target }
  },
  ...plainEntry(key, tcpFields),
}
