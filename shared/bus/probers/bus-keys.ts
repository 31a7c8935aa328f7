// Keys of a bus that remote probers may join. An operator key signs accounts. All streams and buckets belong to the account of the
// installation. The keys of each location's account are derived from a secret. The system account is used to update accounts and
// revocations on the running server. The keys are created once; the operator of the directory stores them. Anyone with these keys controls
// the bus.
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/schema'
import { formatCredentials, signClaims } from '#shared/bus/probers/nats-jwt.ts'
import { derivedKey, type Nkey, newKey, readKey } from '#shared/bus/probers/nkeys.ts'
import { houseExports, locationImports, locationLimits, proberTag, proberTemplate } from '#shared/bus/probers/prober-rights.ts'

const PublicAccount = Type.String({ pattern: '^A[A-Z2-7]{55}$' })
const Seed = (kind: string) => Type.String({ pattern: `^S${kind}[A-Z2-7]{56}$` })

const BusKeysContract = Type.Object({
  version: Type.Literal(1),
  /** Instant of the creation, ms. */
  madeAt: Type.Integer(),
  operatorSeed: Seed('O'),
  houseAccount: PublicAccount,
  systemAccount: PublicAccount,
  /** Secret from which three kinds of keys are derived: accounts of locations, their signing keys, and keys of probers' credentials. */
  proberSigningSeed: Seed('A'),
  /** Credentials of the installation's services, with all rights in the installation's account. */
  houseCredentials: Type.String({ maxLength: 4_096 }),
  systemCredentials: Type.String({ maxLength: 4_096 }),
})
export type BusKeys = Static<typeof BusKeysContract>

const contract = Compile(BusKeysContract)

const unlimited = { subs: -1, data: -1, payload: -1 }
const accountLimits = { ...unlimited, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: 0 }
const storage = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 }

export function makeBusKeys(at: number): BusKeys {
  const [house, system] = [newKey('account'), newKey('account')]
  return {
    version: 1,
    madeAt: at,
    operatorSeed: newKey('operator').seed,
    houseAccount: house.publicKey,
    systemAccount: system.publicKey,
    proberSigningSeed: newKey('account').seed,
    houseCredentials: unlimitedUser('house', house, at),
    systemCredentials: unlimitedUser('system', system, at),
  }
}

/** Parses keys that `makeBusKeys` returned, from JSON. Returns null for any other text. */
export function parseBusKeys(text: string): BusKeys | null {
  try {
    const keys: unknown = JSON.parse(text)
    return contract.Check(keys) ? keys : null
  } catch {
    return null
  }
}

export const locationAccount = (keys: BusKeys, locationId: string): Nkey =>
  derivedKey('account', keys.proberSigningSeed, `account of location ${locationId}`)

/**
 * Returns the key that signs credentials of the location's probers. The server limits these credentials to the rights of `proberTemplate`.
 */
export const locationSigner = (keys: BusKeys, locationId: string): Nkey =>
  derivedKey('account', keys.proberSigningSeed, `signer of location ${locationId}`)

/** Returns the claims of a location's account at an instant. `revocations`: instant of the revocation, s since the epoch, by public key. */
export function locationAccountClaims(
  keys: BusKeys,
  locationId: string,
  at: number,
  revocations: Record<string, number>,
): string {
  const key = locationSigner(keys, locationId).publicKey
  return signClaims(readKey(keys.operatorSeed), at, {
    sub: locationAccount(keys, locationId).publicKey,
    name: `location ${locationId}`,
    nats: {
      type: 'account',
      imports: locationImports(keys.houseAccount, locationId),
      limits: locationLimits(),
      signing_keys: [{ kind: 'user_scope', key, role: proberTag, template: proberTemplate(locationId) }],
      revocations,
    },
  })
}

export function houseAccountClaims(keys: BusKeys, at: number): string {
  return signClaims(readKey(keys.operatorSeed), at, {
    sub: keys.houseAccount,
    name: 'house',
    nats: { type: 'account', exports: houseExports(), limits: { ...accountLimits, ...storage } },
  })
}

/**
 * Returns lines of a nats-server configuration. `folder`: folder in which the server stores claims that it receives later. These claims
 * have priority over the claims in the configuration.
 */
export function serverAuthorization(keys: BusKeys, folder: string): string[] {
  const operator = readKey(keys.operatorSeed)
  const about = { sub: operator.publicKey, name: 'watchkeeper', nats: { type: 'operator' } }
  const system = { sub: keys.systemAccount, name: 'system', nats: { type: 'account', limits: accountLimits } }
  return [
    `operator: ${signClaims(operator, keys.madeAt, about)}`,
    `system_account: ${keys.systemAccount}`,
    `resolver: { type: full, dir: ${JSON.stringify(folder)}, allow_delete: false, interval: "2m" }`,
    'resolver_preload: {',
    `  ${keys.systemAccount}: ${signClaims(operator, keys.madeAt, system)}`,
    `  ${keys.houseAccount}: ${houseAccountClaims(keys, keys.madeAt)}`,
    '}',
  ]
}

function unlimitedUser(name: string, account: Nkey, at: number): string {
  const user = newKey('user')
  const claims = { sub: user.publicKey, name, nats: { type: 'user', ...unlimited } }
  return formatCredentials(signClaims(account, at, claims), user.seed)
}
