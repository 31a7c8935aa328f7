// The keys of a bus that remote probers may join: an operator that signs accounts, the house's account with all streams and
// buckets, the probers' account, and the system account by which the running server is told of revocations. Made once, kept by
// whoever runs the directory; whoever has them has the bus.
import { createAccount, createOperator, createUser, type KeyPair } from '@nats-io/nkeys'
import { type Static, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { formatCredentials, keyPair, seedOf, signClaims } from '#shared/bus/nats-jwt.ts'
import { houseExports, proberImports, proberTag, proberTemplate } from '#shared/bus/prober-rights.ts'

const PublicAccount = Type.String({ pattern: '^A[A-Z2-7]{55}$' })
const Seed = (kind: string) => Type.String({ pattern: `^S${kind}[A-Z2-7]{56}$` })

const BusKeysContract = Type.Object({
  version: Type.Literal(1),
  /** When they were made, ms. */
  madeAt: Type.Integer(),
  operatorSeed: Seed('O'),
  houseAccount: PublicAccount,
  proberAccount: PublicAccount,
  systemAccount: PublicAccount,
  /** Signs probers' credentials and can give no other rights than a prober's. */
  proberSigningSeed: Seed('A'),
  /** Credentials of the house's own services: they may do everything in its account. */
  houseCredentials: Type.String({ maxLength: 4_096 }),
  /** Credentials of the system account. */
  systemCredentials: Type.String({ maxLength: 4_096 }),
})
export type BusKeys = Static<typeof BusKeysContract>

const contract = Compile(BusKeysContract)

const unlimited = { subs: -1, data: -1, payload: -1 }
const accountLimits = { ...unlimited, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: 0 }
const storage = { mem_storage: -1, disk_storage: -1, streams: -1, consumer: -1 }

export function makeBusKeys(at: number): BusKeys {
  const [house, probers, system] = [createAccount(), createAccount(), createAccount()]
  return {
    version: 1,
    madeAt: at,
    operatorSeed: seedOf(createOperator()),
    houseAccount: house.getPublicKey(),
    proberAccount: probers.getPublicKey(),
    systemAccount: system.getPublicKey(),
    proberSigningSeed: seedOf(createAccount()),
    houseCredentials: unlimitedUser('house', house, at),
    systemCredentials: unlimitedUser('system', system, at),
  }
}

/** Null where the text is not what `makeBusKeys` answers, as JSON. */
export function parseBusKeys(text: string): BusKeys | null {
  try {
    const keys: unknown = JSON.parse(text)
    return contract.Check(keys) ? keys : null
  } catch {
    return null
  }
}

/** The probers' account at an instant, without those that are revoked (public key to the second of revocation). */
export function proberAccountClaims(keys: BusKeys, at: number, revocations: Record<string, number>): string {
  const key = keyPair(keys.proberSigningSeed).getPublicKey()
  return signClaims(keyPair(keys.operatorSeed), at, {
    sub: keys.proberAccount,
    name: 'probers',
    nats: {
      type: 'account',
      imports: proberImports(keys.houseAccount),
      limits: accountLimits,
      signing_keys: [{ kind: 'user_scope', key, role: proberTag, template: proberTemplate() }],
      revocations,
    },
  })
}

export function houseAccountClaims(keys: BusKeys, at: number): string {
  return signClaims(keyPair(keys.operatorSeed), at, {
    sub: keys.houseAccount,
    name: 'house',
    nats: { type: 'account', exports: houseExports(), limits: { ...accountLimits, ...storage } },
  })
}

/**
 * The lines of a nats-server's configuration that make it know these keys. `folder` is where the server keeps what it is told
 * later; claims there that are newer than these win.
 */
export function serverAuthorization(keys: BusKeys, folder: string): string[] {
  const operator = keyPair(keys.operatorSeed)
  const about = { sub: operator.getPublicKey(), name: 'watchkeeper', nats: { type: 'operator' } }
  const system = { sub: keys.systemAccount, name: 'system', nats: { type: 'account', limits: accountLimits } }
  return [
    `operator: ${signClaims(operator, keys.madeAt, about)}`,
    `system_account: ${keys.systemAccount}`,
    `resolver: { type: full, dir: ${JSON.stringify(folder)}, allow_delete: false, interval: "2m" }`,
    'resolver_preload: {',
    `  ${keys.systemAccount}: ${signClaims(operator, keys.madeAt, system)}`,
    `  ${keys.houseAccount}: ${houseAccountClaims(keys, keys.madeAt)}`,
    `  ${keys.proberAccount}: ${proberAccountClaims(keys, keys.madeAt, {})}`,
    '}',
  ]
}

function unlimitedUser(name: string, account: KeyPair, at: number): string {
  const user = createUser()
  const claims = { sub: user.getPublicKey(), name, nats: { type: 'user', ...unlimited } }
  return formatCredentials(signClaims(account, at, claims), seedOf(user))
}
