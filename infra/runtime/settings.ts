// Settings of the program itself: its services, its data folder, the addresses of bus and store.
import { addressForm, parseServerAddresses } from '#shared/bus/nats/server-addresses.ts'
import { areSealingKeys } from '#shared/secrecy/seals.ts'
import { choice, integer, list, port, text } from '#shared/settings.ts'

export const serviceNames = ['directory', 'keeper', 'notifier', 'prober', 'gateway'] as const
export type ServiceName = (typeof serviceNames)[number]

export const programSettings = {
  SERVICES: list({ default: serviceNames.join(','), of: serviceNames, meaning: 'The services that this process runs.' }),
  DATA_DIR: text({ default: '.data', unit: 'folder', meaning: 'Where the embedded bus and store, and the first key, are kept.' }),
  SECRETS_KEY: {
    ...text({
      default: '',
      secret: true,
      unit: 'key of `cluster secrets`, several with commas',
      meaning:
        'What seals the secrets of checks and destinations: the same at every gateway, directory, notifier and prober of the house. The first key seals, each opens. Unset: a file of the data folder with SQLite, else checks can have no secrets, and those of destinations are stored as they are.',
    }),
    parse: parseSealingKeys,
  },
  TOOLS_DIR: text({ default: '.tools', unit: 'folder', meaning: 'Where a downloaded nats-server is kept.' }),
  NATS_URL: {
    ...text({
      default: '',
      secret: true,
      unit: 'nats://host:port or tls://host:port, several with commas',
      meaning: 'The bus; unset: a nats-server of its own, on loopback.',
    }),
    parse: parseBusUrl,
  },
  NATS_TOKEN: text({ default: '', secret: true, meaning: 'The token for the bus named by NATS_URL.' }),
  NATS_CREDENTIALS: text({ default: '', unit: 'file', meaning: 'A NATS credentials file for the bus named by NATS_URL.' }),
  NATS_CA_FILE: text({
    default: '',
    unit: 'PEM file',
    meaning: 'The authority that signed the certificate of the bus named by NATS_URL; unset: those that the machine trusts.',
  }),
  NATS_CERT_FILE: text({
    default: '',
    unit: 'PEM file',
    meaning: 'The certificate of this process, for a bus named by NATS_URL that asks its clients for one.',
  }),
  NATS_KEY_FILE: text({ default: '', unit: 'PEM file', meaning: 'The key of NATS_CERT_FILE.' }),
  NATS_REPLICAS: integer({
    default: '0',
    unit: 'copies, 0 keeps what is there and creates one',
    min: 0,
    max: 5,
    meaning: 'How many servers of a NATS cluster keep each stream and bucket; the same at every process with a store.',
  }),
  NATS_KEYS: text({
    default: '',
    unit: 'file',
    meaning:
      "The keys of the bus named by NATS_URL, as `./watchkeeper bus keys` makes them: the directory makes probers' credentials with them.",
  }),
  NATS_PORT: port({ default: '0', meaning: 'The port of the embedded nats-server.' }),
  NATS_LISTEN: text({
    default: '127.0.0.1',
    unit: 'IP address',
    meaning:
      'Where the embedded nats-server listens; anything but loopback opens it to probers on other machines, with NATS_PORT.',
  }),
  NATS_TLS_CERT: text({
    default: '',
    unit: 'PEM file',
    meaning: 'The certificate of the embedded nats-server, for probers on other machines.',
  }),
  NATS_TLS_KEY: text({ default: '', unit: 'PEM file', meaning: 'The key of NATS_TLS_CERT.' }),
  MONGODB_URL: {
    ...text({
      default: '',
      secret: true,
      unit: 'mongodb://… connection string',
      meaning: 'The store; unset: an SQLite file in DATA_DIR, which one process alone may use.',
    }),
    parse: parseMongodbUrl,
  },
  LOCATION_ID: {
    ...text({
      default: '',
      unit: 'id',
      meaning: 'The id of LOCATION, where credentials that somebody else made do not allow to ask; those of Watchkeeper say it.',
    }),
    parse: parseLocationId,
  },
  OPS_PORT: port({ default: '9090', meaning: 'Where /livez, /readyz and /metrics are served, on HOST.' }),
  MONITOR_METRICS_PORT: port({
    default: '0',
    meaning:
      'Where /metrics/monitors, the metrics of all monitors, is served on HOST without a key; 0: nowhere. It needs the directory.',
  }),
  LOG_LEVEL: choice({
    default: 'info',
    of: ['trace', 'debug', 'info', 'warn', 'error', 'silent'],
    meaning: 'The least important log line that is written to standard error.',
  }),
}

function parseSealingKeys(value: string): string {
  if (value === '' || areSealingKeys(value)) return value
  throw new Error('must be a key as `./watchkeeper cluster secrets` makes it, or several with commas')
}

function parseBusUrl(value: string): string {
  if (value === '' || parseServerAddresses(value) !== null) return value
  throw new Error(addressForm)
}

/** Checks only the hosts of the URL. The database driver, which is loaded later, checks the rest of the URL. */
function parseMongodbUrl(value: string): string {
  if (value === '') return ''
  const [, hosts] = /^mongodb(?:\+srv)?:\/\/(?:[^@/?]*@)?([^@/?]+)(?:[/?]|$)/.exec(value) ?? []
  if (hosts?.split(',').every(isHost)) return value
  throw new Error('must be mongodb:// or mongodb+srv:// with at least one host, as in mongodb://store.example:27017/watchkeeper')
}

function isHost(text: string): boolean {
  const [, port] = /^(?:[\w.%-]+|\[[\da-f:.]+\])(?::(\d{1,5}))?$/i.exec(text) ?? [null, '0']
  return port === undefined || (Number(port) >= 1 && Number(port) <= 65_535)
}

/** Returns the id if it is valid as one token of a bus subject. */
function parseLocationId(value: string): string {
  if (/^[\w-]{0,64}$/.test(value)) return value
  throw new Error('must be the id of a location: letters, digits, - and _ alone, 64 at most')
}
