// Claims of nats-server, which are JWTs signed by nkeys (Ed25519 keys in the form of NATS), and credentials files, which contain claims and
// a seed. The published library always stamps claims with the present time, so this file uses nkeys directly.
import { createHash, createHmac } from 'node:crypto'
import { fromSeed, type KeyPair } from '@nats-io/nkeys'

export interface Claims {
  /** Seconds since the epoch. */
  iat: number
  /** Public key of the signer. */
  iss: string
  /** Public key of the account or user that the claims describe. */
  sub: string
  name: string
  nats: Record<string, unknown>
}

export const keyPair = (seed: string): KeyPair => fromSeed(new TextEncoder().encode(seed))
export const seedOf = (pair: KeyPair): string => new TextDecoder().decode(pair.getSeed())

/**
 * Returns signed claims. `at`: instant in the claims, ms since the epoch. Equal claims that one signer signs for the same second have the
 * same text.
 */
export function signClaims(signer: KeyPair, at: number, about: Pick<Claims, 'sub' | 'name' | 'nats'>): string {
  const claims = {
    iat: Math.floor(at / 1_000),
    iss: signer.getPublicKey(),
    sub: about.sub,
    name: about.name,
    nats: { ...about.nats, version: 2 },
  }
  const jti = createHash('sha256').update(JSON.stringify(claims)).digest('base64url')
  const signed = `${encode({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encode({ jti, ...claims })}`
  return `${signed}.${Buffer.from(signer.sign(Buffer.from(signed))).toString('base64url')}`
}

/** Returns the content of claims, unverified: the server verifies them. Returns null if the text contains no claims of nats-server. */
export function readClaims(jwt: string): Claims | null {
  try {
    const claims = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as Claims | null
    return typeof claims?.sub === 'string' && typeof claims.nats === 'object' && claims.nats !== null ? claims : null
  } catch {
    return null
  }
}

/** Returns the text of a credentials file, in the form that every NATS client reads. */
export const formatCredentials = (jwt: string, seed: string): string =>
  [
    '-----BEGIN NATS USER JWT-----',
    jwt,
    '------END NATS USER JWT------',
    '',
    'Keep the seed secret: whoever has it is this user.',
    '',
    '-----BEGIN USER NKEY SEED-----',
    seed,
    '------END USER NKEY SEED------',
    '',
  ].join('\n')

/** Returns the claims in a credentials file. Null: the text contains no claims. */
export function claimsOfCredentials(text: string): Claims | null {
  const [, jwt = ''] = /-----BEGIN NATS USER JWT-----\s+([\w.-]+)\s/.exec(text) ?? []
  return readClaims(jwt)
}

const prefixes = { user: 20 << 3, account: 0 }
const seedPrefix = 18 << 3

/** Returns a key derived from a secret and a name. The same arguments give the same key, so the key need not be stored. */
export function derivedKey(kind: keyof typeof prefixes, secret: string, name: string): KeyPair {
  const raw = createHmac('sha256', secret).update(name).digest()
  const prefix = prefixes[kind]
  const bytes = Buffer.concat([Buffer.from([seedPrefix | (prefix >> 5), (prefix & 31) << 3]), raw])
  const checksum = Buffer.alloc(2)
  checksum.writeUInt16LE(crc16(bytes))
  return keyPair(base32(Buffer.concat([bytes, checksum])))
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** CRC-16/XMODEM, the checksum at the end of nkeys. */
function crc16(bytes: Uint8Array): number {
  let crc = 0
  for (const byte of bytes) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff
  }
  return crc
}

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** RFC 4648 without padding. */
function base32(bytes: Uint8Array): string {
  let bits = 0
  let value = 0
  let text = ''
  for (const byte of bytes) {
    value = (value << 8) | byte
    for (bits += 8; bits >= 5; bits -= 5) text += letters[(value >>> (bits - 5)) & 31]
    value &= (1 << bits) - 1
  }
  return bits > 0 ? text + letters[(value << (5 - bits)) & 31] : text
}
