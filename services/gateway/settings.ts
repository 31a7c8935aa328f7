// The gateway's settings from the environment. The program that starts the gateway, not the gateway itself, listens at HOST and PORT.
import { isLoopback } from '#shared/net/loopback.ts'
import { choice, integer, port, SettingError, type Settings, text } from '#shared/settings.ts'
import { legacies } from './gateway-options.ts'
import { parseProxies } from './http/trusted-proxies.ts'
import { parsePingHost } from './pings/ping-host.ts'
import { pingDefaults } from './pings/ping-options.ts'
import { oidcOptions, parseIssuer } from './session/oidc/oidc-settings.ts'

export const gatewaySettings = {
  HOST: text({ default: '127.0.0.1', unit: 'address', meaning: 'The address at which the API and the dashboard listen.' }),
  PORT: port({ default: '2517', meaning: 'The port at which the API and the dashboard listen.' }),
  SQIDS_SALT: text({
    default: '',
    meaning:
      'The salt of public incident ids; empty takes the one of the installation. Changing it makes earlier ids stop resolving.',
    secret: true,
  }),
  TRUST_PROXY: {
    ...text({ default: '', meaning: 'The proxies in front, whose X-Forwarded-For is believed; unset: none.' }),
    unit: 'addresses or networks, with commas',
    parse: parseProxies,
  },
  AUTH_DEV: choice({
    default: 'false',
    of: ['true', 'false'],
    meaning: 'Every visitor of the dashboard is an administrator, without signing in. Only where HOST is loopback.',
  }),
  API_LEGACY: choice({
    default: 'serve',
    of: legacies,
    meaning: 'gone: generations 1 and 2 of the API, and their OpenAPI documents, answer 410.',
  }),
  CHECK_INTERVAL_MIN: integer({
    default: '10',
    unit: 'seconds',
    min: 10,
    max: 3_600,
    meaning: 'Least time between two checks of a monitor from one location. Monitors that are checked more often already go on.',
  }),
  WORKSPACE_CHECKS_PER_MINUTE: integer({
    default: '0',
    unit: 'checks a minute',
    min: 0,
    max: 10_000_000,
    meaning: 'How many checks the monitors of one workspace may ask for, over all their locations; 0: any number.',
  }),
  PING_HOST: {
    ...text({
      default: '',
      meaning: 'A host at whose root ping addresses are too, so that they are short. A proxy in front must pass it on as Host.',
    }),
    unit: 'name of a host',
    parse: parsePingHost,
  },
  PING_BODY_LIMIT: integer({
    default: String(pingDefaults.bodyLimit),
    unit: 'bytes',
    min: 0,
    max: 100_000,
    meaning: 'How much of the body of a ping is kept, such as the last lines of a job. The rest is read and dropped.',
  }),
  KUMA_PUSH: choice({
    default: 'off',
    of: ['on', 'off'],
    meaning: 'on: /api/push/<token> takes pings as Uptime Kuma does, also with API_LEGACY=gone.',
  }),
  OIDC_ISSUER: {
    ...text({ default: '', meaning: 'The OIDC provider at which people may sign in; unset: none.' }),
    unit: 'https address',
    parse: parseIssuer,
  },
  OIDC_CLIENT_ID: text({ default: '', meaning: 'How the provider knows this installation.' }),
  OIDC_CLIENT_SECRET: text({ default: '', secret: true, meaning: 'What the provider gave for OIDC_CLIENT_ID.' }),
  OIDC_CLIENT_SECRET_FILE: text({ default: '', unit: 'file', meaning: 'Where OIDC_CLIENT_SECRET is read from instead.' }),
  OIDC_NAME: text({ default: 'Single sign-on', meaning: 'How the sign-in page calls the provider.' }),
}

/** Checks settings against each other. Throws a SettingError whose message says which setting to change. */
export function demandFittingSettings(settings: Settings<typeof gatewaySettings> & { PUBLIC_URL: string }): void {
  if (settings.AUTH_DEV === 'true') demandLoopbackOnly(settings)
  if (settings.OIDC_ISSUER === '') {
    demandNoClient(settings)
    return
  }
  if (settings.OIDC_CLIENT_ID === '') throw new SettingError('OIDC_CLIENT_ID must be set where OIDC_ISSUER is.')
  if ((settings.OIDC_CLIENT_SECRET === '') === (settings.OIDC_CLIENT_SECRET_FILE === '')) {
    throw new SettingError('One of OIDC_CLIENT_SECRET and OIDC_CLIENT_SECRET_FILE must be set where OIDC_ISSUER is.')
  }
  // The client secret is read now, so that an unreadable secret is reported before any service starts. When the gateway starts, all other
  // services run already.
  oidcOptions(settings)
}

function demandNoClient(settings: Settings<typeof gatewaySettings>): void {
  for (const name of ['OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET', 'OIDC_CLIENT_SECRET_FILE'] as const) {
    if (settings[name] !== '')
      throw new SettingError(`${name} is for the provider at OIDC_ISSUER: set OIDC_ISSUER or unset ${name}.`)
  }
}

function demandLoopbackOnly(settings: { HOST: string; PUBLIC_URL: string; TRUST_PROXY: unknown }): void {
  if (!isLoopback(settings.HOST)) {
    throw new SettingError(
      `AUTH_DEV=true makes every visitor an administrator, so HOST must be loopback; it is "${settings.HOST}": set HOST=127.0.0.1 or unset AUTH_DEV.`,
    )
  }
  if (settings.PUBLIC_URL !== '' && !isLoopback(new URL(settings.PUBLIC_URL).hostname)) {
    throw new SettingError('AUTH_DEV=true is for this machine alone, but PUBLIC_URL names another host: unset one of them.')
  }
  if (settings.TRUST_PROXY !== null) throw new SettingError('AUTH_DEV=true admits no proxy: unset TRUST_PROXY or AUTH_DEV.')
}
