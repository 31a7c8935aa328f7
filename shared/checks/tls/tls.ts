// The kind of check that watches a certificate.
import { day } from '#shared/limits/limits.ts'
import { parseEndpoint } from '#shared/net/host-port.ts'
import { type CheckKind, plainEntry } from '../check-kind.ts'
import { checkedSignal, failing, fieldRefs } from '../template-parts.ts'
import { watchFieldsAtOnce } from '../watch-fields.ts'
import { target as targetField, tlsFields } from './fields.ts'

export const usualPort = 443

const key = 'tls'

/** Key of the signal that watches a certificate, and of the rule that judges it. */
export const certificate = 'certificate'

/** What to do about a certificate, for people who are told of it. */
export const renewal = 'Renew the certificate, and look whether the server has loaded the new one.'

export const tls: CheckKind = {
  key,
  name: 'Certificate',
  watches: 'A certificate',
  help: 'Reads the certificate of a TLS server, and judges its dates, its name and who signed it.',
  value: { name: 'Time left', unit: 'days', ends: { what: certificate, unitMs: day } },
  fields: tlsFields,
  watch: watchFieldsAtOnce(3_600),
  templates: [
    {
      key: 'certificate-check',
      version: 1,
      name: 'Certificate check',
      summary: 'Reads a certificate from several locations and opens an Incident before it ends, or when it is not valid.',
      parts: {
        signals: [checkedSignal({ key: certificate, check: { type: key, ...fieldRefs(tlsFields) }, help: 'The certificate.' })],
        rules: [
          {
            key: certificate,
            action: renewal,
            help: 'The certificate ends soon, is not valid, or cannot be read from half of the Locations.',
            wait: { confirm_after: 0, recover_after: 0 },
            decision: failing(certificate),
            unknown: 'no_data',
          },
        ],
      },
    },
  ],
  shown: check => {
    const { hostname, port } = parseEndpoint(String(check[targetField.key]), usualPort) ?? { hostname: '', port: usualPort }
    const host = hostname.includes(':') ? `[${hostname}]` : hostname
    const target = port === usualPort ? host : `${host}:${port}`
    return { method: 'TLS', target, url: '', host: target || null }
  },
  ...plainEntry(key, tlsFields),
}
