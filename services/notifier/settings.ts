// Settings of the notifier.

import { limits } from '#shared/limits/limits.ts'
import { egressSettings } from '#shared/net/egress.ts'
import { isHttpUrl } from '#shared/net/http-url.ts'
import { isMailAddress } from '#shared/net/mail-address.ts'
import { parseMailServer } from '#shared/net/smtp-url.ts'
import { text } from '#shared/settings.ts'

export const notifierSettings = {
  ...egressSettings,
  PUBLIC_URL: {
    ...text({
      default: '',
      meaning:
        'The address of the dashboard as people reach it, without a path; messages link to it. Unset: localhost on PORT; set it where PORT is 0.',
    }),
    unit: 'http or https address',
    parse: (value: string) => (value === '' ? '' : parseOrigin(value)),
  },
  SERVICE_URL: {
    ...text({ default: 'http://localhost:2517', meaning: 'The address that receivers see in the User-Agent of messages.' }),
    unit: 'http or https address',
    parse: parseAddress,
  },
  SMTP_URL: {
    ...text({
      default: '',
      secret: true,
      unit: 'smtp or smtps address',
      meaning:
        'The mail server of destinations of the type email that have none of their own, such as smtp://user:password@mail.example.com:587; ?starttls=optional or never where it has no TLS. Unset: none. The same at every notifier.',
    }),
    parse: parseServer,
  },
  SMTP_FROM: {
    ...text({ default: '', meaning: 'The address from which SMTP_URL sends, such as watch@example.com.' }),
    parse: parseSenderAddress,
  },
  OPERATOR_WEBHOOK_URL: {
    ...text({
      default: '',
      secret: true,
      unit: 'http or https address',
      meaning:
        'Where changes of the installation itself are sent: lost locations, keys about to end, a full disk, failing destinations, dead letters. Unset: nowhere. The same at every notifier.',
    }),
    parse: parseWebhook,
  },
  OPERATOR_WEBHOOK_SECRET: {
    ...text({
      default: '',
      secret: true,
      unit: 'whsec_ and base64',
      meaning: 'Signs messages to OPERATOR_WEBHOOK_URL as Standard Webhooks does; unset: they are not signed.',
    }),
    parse: parseSecret,
  },
}

/** Returns the operator's receiver; null: none is set. */
export function operatorWebhook(settings: { OPERATOR_WEBHOOK_URL: string; OPERATOR_WEBHOOK_SECRET: string }) {
  const { OPERATOR_WEBHOOK_URL: url, OPERATOR_WEBHOOK_SECRET: secret } = settings
  return url === '' ? null : { url, secret: secret === '' ? null : secret }
}

function parseServer(value: string): string {
  if (value === '' || parseMailServer(value) !== null) return value
  throw new Error('must be an address such as smtp://user:password@mail.example.com:587 or smtps://mail.example.com')
}

function parseSenderAddress(value: string): string {
  if (value === '' || isMailAddress(value)) return value
  throw new Error('must be an address such as watch@example.com')
}

function parseWebhook(value: string): string {
  if (value === '' || isHttpUrl(value, limits.destination.urlCharacters)) return value
  throw new Error(`must be an http or https address of at most ${limits.destination.urlCharacters} characters`)
}

/** Returns the secret. Standard Webhooks allows secrets of 24 to 64 bytes. */
function parseSecret(value: string): string {
  const [, base64 = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(value) ?? []
  const { length } = Buffer.from(base64, 'base64')
  if (value === '' || (length >= 24 && length <= 64)) return value
  throw new Error('must be whsec_ and the base64 of 24 to 64 bytes')
}

/**
 * Returns the address without trailing slashes. Throws for an address below a path: the pages, their assets and the cookies are at the root
 * of their address.
 */
function parseOrigin(value: string): string {
  const address = parseAddress(value)
  if (/^https?:\/\/[^/?#@\\]+$/.test(address)) return address
  throw new Error('must be an address without a path, such as https://watch.example.org: the pages work only at the root')
}

/** Returns the address without trailing slashes. */
function parseAddress(value: string): string {
  if (!/^https?:\/\//.test(value) || !URL.canParse(value)) throw new Error('must be an http or https address')
  return value.replace(/\/+$/, '')
}
