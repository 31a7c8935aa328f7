// The gateway's settings from the environment. Whoever runs the process listens at HOST and PORT; the gateway itself never does.
import { port, text } from '#shared/settings.ts'

export const gatewaySettings = {
  HOST: text({ default: '127.0.0.1', unit: 'address', meaning: 'The address at which the API and the dashboard listen.' }),
  PORT: port({ default: '2517', meaning: 'The port at which the API and the dashboard listen.' }),
  SQIDS_SALT: text({
    default: '',
    meaning:
      'The salt of public incident ids; empty takes the one of the installation. Changing it makes earlier ids stop resolving.',
    secret: true,
  }),
}
