// Claims of nats-server, which are JWTs signed by nkeys (nkeys.ts), and credentials files, which contain claims and a seed. The published
// library always stamps claims with the present time, so this file signs claims itself.
import { createHash } from 'node:crypto'
import type { Authenticator } from '@nats-io/transport-node'
import { type Nkey, readKey } from '#shared/bus/probers/nkeys.ts'

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

/**
 * Returns signed claims. `at`: instant in the claims, ms since the epoch. Equal claims that one signer signs for the same second have the
 * same text.
 */
export function signClaims(signer: Nkey, at: number, about: Pick<Claims, 'sub' | 'name' | 'nats'>): string {
  const claims = {
    iat: Math.floor(at / 1_000),
    iss: signer.publicKey,
    sub: about.sub,
    name: about.name,
    nats: { ...about.nats, version: 2 },
  }
  const jti = createHash('sha256').update(JSON.stringify(claims)).digest('base64url')
  const signed = `${encode({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encode({ jti, ...claims })}`
  return `${signed}.${signer.sign(signed)}`
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
export const claimsOfCredentials = (text: string): Claims | null => readClaims(jwtOf(text))

/** Returns the authenticator of a connection with these credentials. Throws an Error if the text contains no seed. */
export function credentialsAuthenticator(text: string): Authenticator {
  const [, seed = ''] = /-----BEGIN USER NKEY SEED-----\s+(\w+)\s/.exec(text) ?? []
  const key = readKey(seed)
  return nonce => ({ jwt: jwtOf(text), nkey: key.publicKey, sig: nonce ? key.sign(nonce) : '' })
}

/** Returns whether the text has both parts of a credentials file: claims and a seed. */
export function isCredentials(text: string): boolean {
  try {
    credentialsAuthenticator(text)
    return claimsOfCredentials(text) !== null
  } catch {
    return false
  }
}

const jwtOf = (text: string): string => /-----BEGIN NATS USER JWT-----\s+([\w.-]+)\s/.exec(text)?.[1] ?? ''

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')
