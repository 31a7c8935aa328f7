// Nkeys, the keys of NATS: Ed25519 keys whose texts have a kind and a checksum. They use Node's own crypto, because `@nats-io/nkeys` computes
// in JavaScript, which takes 180 ms of each start.
import { createHmac, createPrivateKey, createPublicKey, randomBytes, sign } from 'node:crypto'

export interface Nkey {
  /** Secret text, from which `readKey` makes the same key. */
  seed: string
  publicKey: string
  /** Returns the signature of `text` in base64url. */
  sign(text: string): string
}

const kinds = { operator: 14 << 3, account: 0, user: 20 << 3 }
export type NkeyKind = keyof typeof kinds

export const newKey = (kind: NkeyKind): Nkey => keyOf(kinds[kind], randomBytes(rawBytes))

/** Returns a key derived from a secret and a name. The same arguments give the same key, so the key need not be stored. */
export const derivedKey = (kind: NkeyKind, secret: string, name: string): Nkey =>
  keyOf(kinds[kind], createHmac('sha256', secret).update(name).digest())

/** Parses a seed. Throws an Error if the text is no seed; the message does not contain the text. */
export function readKey(seed: string): Nkey {
  const bytes = fromBase32(seed)
  const [first = 0, second = 0] = bytes
  const key = bytes.length === rawBytes + 4 ? keyOf(((first & 7) << 5) | (second >> 3), bytes.subarray(2, -2)) : null
  // Kind, checksum and length are right if the seed of the key is the same text.
  if (key?.seed !== seed) throw new Error('The text is no seed of a key of NATS.')
  return key
}

const rawBytes = 32
const seedPrefix = 18 << 3
/** Everything before the raw key in the PKCS #8 form of an Ed25519 key. */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex')

function keyOf(prefix: number, raw: Uint8Array): Nkey {
  const key = createPrivateKey({ key: Buffer.concat([pkcs8, raw]), format: 'der', type: 'pkcs8' })
  const publicRaw = createPublicKey(key).export({ format: 'der', type: 'spki' }).subarray(-rawBytes)
  return {
    seed: withChecksum(Buffer.concat([Buffer.from([seedPrefix | (prefix >> 5), (prefix & 31) << 3]), raw])),
    publicKey: withChecksum(Buffer.concat([Buffer.from([prefix]), publicRaw])),
    sign: text => sign(null, Buffer.from(text), key).toString('base64url'),
  }
}

function withChecksum(bytes: Uint8Array): string {
  const checksum = Buffer.alloc(2)
  checksum.writeUInt16LE(crc16(bytes))
  return base32(Buffer.concat([bytes, checksum]))
}

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

/** Returns no bytes if the text is not base32. */
function fromBase32(text: string): Buffer {
  if (!/^[A-Z2-7]*$/.test(text)) return Buffer.alloc(0)
  const bytes: number[] = []
  let bits = 0
  let value = 0
  for (const letter of text) {
    value = (value << 5) | letters.indexOf(letter)
    bits += 5
    if (bits < 8) continue
    bits -= 8
    bytes.push(value >>> bits)
    value &= (1 << bits) - 1
  }
  return Buffer.from(bytes)
}
