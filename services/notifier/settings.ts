// The notifier's settings, declared once.
import { egressSettings } from '#shared/egress.ts'
import { text } from '#shared/settings.ts'

export const notifierSettings = {
  ...egressSettings,
  PUBLIC_URL: {
    ...text({
      default: '',
      meaning:
        'The address of the dashboard as people reach it; messages link to it. Unset: localhost on PORT; set it where PORT is 0.',
    }),
    unit: 'http or https address',
    parse: (value: string) => (value === '' ? '' : parseAddress(value)),
  },
  SERVICE_URL: {
    ...text({ default: 'http://localhost:2517', meaning: 'The address that receivers see in the User-Agent of messages.' }),
    unit: 'http or https address',
    parse: parseAddress,
  },
}

/** The address without trailing slashes. */
function parseAddress(value: string): string {
  if (!/^https?:\/\//.test(value) || !URL.canParse(value)) throw new Error('must be an http or https address')
  return value.replace(/\/+$/, '')
}
