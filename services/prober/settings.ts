// Settings of a prober from its environment.
import { egressSettings } from '#shared/net/egress.ts'
import { choice, text } from '#shared/settings.ts'

export const proberSettings = {
  ...egressSettings,
  LOCATION: text({ default: 'local', meaning: 'Name of the location that this process checks from.' }),
  PROBER_ID: text({
    default: '',
    meaning: 'Identity of this prober within its location; a random one is made where it is unset.',
  }),
  SERVICE_URL: text({
    default: 'http://localhost:2517',
    unit: 'URL',
    meaning: 'Address of the service that checks name in their User-Agent, so that who is checked can ask who checks.',
  }),
  CHECK_ANSWERS: choice({
    default: 'on',
    of: ['on', 'off'],
    meaning:
      'Whether failed checks and tries carry what the server answered. Off, if people who may add monitors must not read what this prober reaches.',
  }),
} as const
