// Seals of secret answers: a gateway seals a secret when it takes it, and only a prober, or the directory for a prober on another machine,
// opens it. Documents, messages and check entries hold the sealed form. AES-256-GCM; a sealed text names its key.
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import { isSealed, keyIdLength, sealedForm } from './sealed-form.ts'

export interface Seals {
  /** Name of the key that seals. It says nothing about the key. */
  keyId: string
  /** Names of all keys, each of which opens. */
  keyIds: readonly string[]
  seal(text: string): string
  /** Returns the text; null: it was sealed with another key, or is damaged. */
  open(sealed: string): string | null
}

const algorithm = 'aes-256-gcm'
const [keyBytes, nonceBytes, tagBytes] = [32, 12, 16]

/** Returns a new key, as the setting SECRETS_KEY holds it. */
export const newSealingKey = (): string => randomBytes(keyBytes).toString('base64url')

/** Whether the text is a key, or several with commas. */
export const areSealingKeys = (text: string): boolean =>
  text.split(',').every(key => Buffer.from(key.trim(), 'base64url').length === keyBytes)

/** `keys`: one or several with commas, of which the first seals and each opens. Returns null for an empty text. */
export function createSeals(keys: string): Seals | null {
  if (keys === '') return null
  const known = keys.split(',').map(key => Buffer.from(key.trim(), 'base64url'))
  const byId = new Map(known.map(key => [idOf(key), key]))
  const [first] = known as [Buffer]
  return {
    keyId: idOf(first),
    keyIds: [...byId.keys()],
    seal: text => {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv(algorithm, first, nonce)
      const parts = [nonce, cipher.update(text, 'utf8'), cipher.final()]
      return `sealed:${idOf(first)}:${Buffer.concat([...parts, cipher.getAuthTag()]).toString('base64url')}`
    },
    open: sealed => {
      const [, id = '', content = ''] = sealedForm.exec(sealed) ?? []
      const key = byId.get(id)
      return key === undefined ? null : opened(key, Buffer.from(content, 'base64url'))
    },
  }
}

/** Returns the value with every sealed text in it opened. A text that cannot be opened stays sealed. */
export function withOpened<T>(value: T, seals: Seals | null): T {
  if (seals === null) return value
  if (isSealed(value)) return (seals.open(value) ?? value) as T
  if (Array.isArray(value)) return value.map(item => withOpened(item, seals)) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withOpened(item, seals)])) as T
}

const idOf = (key: Buffer): string => createHash('sha256').update(key).digest('base64url').slice(0, keyIdLength)

function opened(key: Buffer, content: Buffer): string | null {
  try {
    const decipher = createDecipheriv(algorithm, key, content.subarray(0, nonceBytes))
    decipher.setAuthTag(content.subarray(-tagBytes))
    return decipher.update(content.subarray(nonceBytes, -tagBytes), undefined, 'utf8') + decipher.final('utf8')
  } catch {
    return null // Damaged, or too short.
  }
}
