// Password hashes: argon2id in PHC form. They are computed outside the main thread, a limited number at once. A verification takes the same
// time if no password is stored. Knows no users.
import { type Argon2Parameters, argon2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { Semaphore } from '#shared/async/semaphore.ts'
import { refusal } from '#shared/errors.ts'
import { limits } from '#shared/limits/limits.ts'
import { randomId } from '#shared/text/ids.ts'

export interface Passwords {
  /** Returns the PHC text of a password. Throws `validation` for an invalid password, `busy` if too many passwords are being hashed. */
  hash(password: string): Promise<string>
  /**
   * Resolves to true if the password matches the PHC text `kept`. If `kept` is undefined, resolves to false after the same time. Throws
   * `busy`.
   */
  verify(password: string, kept: string | undefined): Promise<boolean>
}

interface Phc {
  memory: number
  passes: number
  parallelism: number
  nonce: Buffer
  hash: Buffer
}

/** Cost of one hash: memory in KiB, number of passes over this memory, number of lanes. */
export type PasswordCost = Record<'memoryKib' | 'passes' | 'parallelism', number>

const derive = promisify<'argon2id', Argon2Parameters, Buffer>(argon2)
const saltCharacters = 22

export function createPasswords(cost: PasswordCost = limits.password): Passwords {
  /** Hash with which a password is compared if the user has no stored password. The comparison takes the usual time and always fails. */
  const nobody: Phc = {
    memory: cost.memoryKib,
    passes: cost.passes,
    parallelism: cost.parallelism,
    nonce: Buffer.from('nobody has this salt'),
    hash: Buffer.alloc(limits.password.hashBytes),
  }
  const semaphore = new Semaphore(limits.password.atOnce)
  const compute = async ({ memory, passes, parallelism, nonce, hash }: Phc, password: string): Promise<Buffer> => {
    if (semaphore.isFull && semaphore.waiting >= limits.password.waiting) {
      throw refusal('busy', 'Too many sign-ins at once', 'Too many people sign in at this moment; try again')
    }
    const message = password.normalize('NFKC')
    return semaphore.run(() => derive('argon2id', { message, nonce, parallelism, memory, passes, tagLength: hash.length }))
  }
  return {
    hash: async password => {
      checkPassword(password)
      const phc = { ...nobody, nonce: Buffer.from(randomId(saltCharacters)) }
      return formatPhc({ ...phc, hash: await compute(phc, password) })
    },
    verify: async (password, kept) => {
      const phc = (kept === undefined ? null : parsePhc(kept)) ?? nobody
      if (charactersOf(password) > limits.password.charactersMax) return false
      const computed = await compute(phc, password)
      return timingSafeEqual(computed, phc.hash) && phc !== nobody
    },
  }
}

/** Throws `validation` for a password of a wrong length. The error never contains the password. */
function checkPassword(password: string): void {
  const { charactersMin, charactersMax } = limits.password
  const characters = charactersOf(password)
  if (characters >= charactersMin && characters <= charactersMax) return
  throw refusal('validation', 'Invalid password', `A password has ${charactersMin} to ${charactersMax} characters`, 'password')
}

const charactersOf = (password: string): number => [...password.normalize('NFKC')].length

const text = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')

const formatPhc = ({ memory, passes, parallelism, nonce, hash }: Phc): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(nonce)}$${text(hash)}`

/** Parses a PHC text. The cost comes from the text, so that stored passwords stay valid after the configured cost is raised. */
function parsePhc(kept: string): Phc | null {
  const parts = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(kept)
  if (!parts) return null
  const [memory = 0, passes = 0, parallelism = 0] = parts.slice(1, 4).map(Number)
  const [nonce = '', hash = ''] = parts.slice(4)
  return { memory, passes, parallelism, nonce: Buffer.from(nonce, 'base64'), hash: Buffer.from(hash, 'base64') }
}
