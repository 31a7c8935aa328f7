// Keys of NATS made by Node's own crypto, compared with those of NATS's own library.
import { createAccount, createOperator, createUser, fromPublic, fromSeed } from '@nats-io/nkeys'
import t from 'tap'
import {
  claimsOfCredentials,
  credentialsAuthenticator,
  formatCredentials,
  isCredentials,
  signClaims,
} from '#shared/bus/probers/nats-jwt.ts'
import { derivedKey, type NkeyKind, newKey, readKey } from '#shared/bus/probers/nkeys.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const ofLibrary = { operator: createOperator, account: createAccount, user: createUser }
const kinds = Object.keys(ofLibrary) as NkeyKind[]

t.test('key of each kind has the seed, the public key and the signature that the library computes', async t => {
  for (const kind of kinds) {
    for (const key of [newKey(kind), derivedKey(kind, 'secret', 'name')]) {
      const same = fromSeed(bytes(key.seed))
      t.equal(key.publicKey, same.getPublicKey(), kind)
      t.equal(key.sign('text ü'), Buffer.from(same.sign(bytes('text ü'))).toString('base64url'), kind)
      t.ok(fromPublic(key.publicKey).verify(bytes('text'), Buffer.from(key.sign('text'), 'base64url')), kind)
    }
    const made = ofLibrary[kind]()
    const seed = new TextDecoder().decode(made.getSeed())
    t.match(readKey(seed), { seed, publicKey: made.getPublicKey() }, kind)
  }
})

t.test('derived key depends on secret, name and kind alone', async t => {
  const { seed } = derivedKey('user', 'secret', 'name')
  t.equal(derivedKey('user', 'secret', 'name').seed, seed)
  for (const other of [
    derivedKey('user', 'other', 'name'),
    derivedKey('user', 'secret', 'x'),
    derivedKey('account', 'secret', 'name'),
  ])
    t.not(other.seed, seed)
})

t.test('text that is no seed is refused, and the error does not repeat it', async t => {
  const { seed, publicKey } = newKey('user')
  const changed = seed.slice(0, 20) + (seed[20] === 'A' ? 'B' : 'A') + seed.slice(21)
  const texts = {
    empty: '',
    public: publicKey,
    short: seed.slice(0, -1),
    long: `${seed}A`,
    changed,
    lower: seed.toLowerCase(),
    other: 'ü!',
  }
  for (const [name, text] of Object.entries(texts))
    t.throws(() => readKey(text), { message: 'The text is no seed of a key of NATS.' }, name)
})

t.test('credentials file has claims and a seed; a file without one of them is no credentials file', async t => {
  const [account, user] = [newKey('account'), newKey('user')]
  const jwt = signClaims(account, 1_000, { sub: user.publicKey, name: 'house', nats: { type: 'user' } })
  const text = formatCredentials(jwt, user.seed)
  t.match(claimsOfCredentials(text), { iss: account.publicKey, sub: user.publicKey, iat: 1, name: 'house' })
  t.strictSame(credentialsAuthenticator(text)('nonce'), { jwt, nkey: user.publicKey, sig: user.sign('nonce') })
  t.match(credentialsAuthenticator(text)(), { sig: '' }, 'a server that sends no nonce wants no signature')
  t.ok(isCredentials(text))
  t.notOk(isCredentials(text.replace(user.seed, '')))
  t.notOk(isCredentials(text.replace(jwt, '')))
})
