// The kind of check that watches a certificate.
import { parseEndpoint } from '#shared/net/host-port.ts'
import { type CheckKind, plainEntry } from '../check-kind.ts'
import { watchFields } from '../watch-fields.ts'
import { target as targetField, tlsFields } from './fields.ts'

export const usualPort = 443

export const tls: CheckKind = {
  key: 'tls',
  name: 'Certificate',
  watches: 'A certificate',
  help: 'Reads the certificate of a TLS server, and judges its dates, its name and who signed it.',
  value: { name: 'Time left', unit: 'days' },
  fields: tlsFields,
  watch: watchFields(3_600),
  templates: [
    {
      key: 'certificate-check',
      version: 1,
      name: 'Certificate check',
      summary: 'Reads a certificate from several locations and opens an Incident before it ends, or when it is not valid.',
    },
  ],
  shown: check => {
    const { hostname, port } = parseEndpoint(String(check[targetField.key]), usualPort) ?? { hostname: '', port: usualPort }
    const host = hostname.includes(':') ? `[${hostname}]` : hostname
    const target = port === usualPort ? host : `${host}:${port}`
    return { method: 'TLS', target, url: '', host: target || null }
  },
  ...plainEntry('tls', tlsFields),
}
