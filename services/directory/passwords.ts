// Passwords as they are kept: argon2id in PHC form, computed off the main thread, a few at once. It knows no users, and tells
// nobody whether there was anything to compare with.
import { type Argon2Parameters, argon2, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { AppError } from '#shared/errors.ts'
import { randomId } from '#shared/ids.ts'
import { limits } from '#shared/limits.ts'

export interface Passwords {
  /** The PHC text of a password. Throws `validation` for one that may not be, `busy` where too many are being hashed. */
  hash(password: string): Promise<string>
  /** Takes as long where there is nothing to compare with (undefined), and is false then. Throws `busy`. */
  verify(password: string, kept: string | undefined): Promise<boolean>
}

interface Phc {
  memory: number
  passes: number
  parallelism: number
  nonce: Buffer
  hash: Buffer
}

const derive = promisify<'argon2id', Argon2Parameters, Buffer>(argon2)
/** What a password is compared with where there is none: the same work, and never equal. */
const nobody: Phc = {
  memory: limits.password.memoryKib,
  passes: limits.password.passes,
  parallelism: limits.password.parallelism,
  nonce: Buffer.from('nobody has this salt'),
  hash: Buffer.alloc(limits.password.hashBytes),
}
const saltCharacters = 22

export function createPasswords(): Passwords {
  const inTurn = createTurns()
  const compute = ({ memory, passes, parallelism, nonce, hash }: Phc, password: string): Promise<Buffer> =>
    inTurn(() => {
      const message = password.normalize('NFKC')
      return derive('argon2id', { message, nonce, parallelism, memory, passes, tagLength: hash.length })
    })
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

/** Throws `validation` with a sentence that never holds the password. */
function checkPassword(password: string): void {
  const { charactersMin, charactersMax } = limits.password
  const characters = charactersOf(password)
  if (characters >= charactersMin && characters <= charactersMax) return
  throw new AppError('validation', 'Invalid password', {
    details: `A password has ${charactersMin} to ${charactersMax} characters`,
  })
}

const charactersOf = (password: string): number => [...password.normalize('NFKC')].length

/** Runs a few at once, keeps some waiting, refuses the rest as `busy`. */
function createTurns(): <T>(work: () => Promise<T>) => Promise<T> {
  let running = 0
  const waiting: (() => void)[] = []
  return async work => {
    if (running >= limits.password.atOnce) {
      if (waiting.length >= limits.password.waiting) {
        throw new AppError('busy', 'Too many sign-ins at once', { details: 'Too many people sign in at this moment; try again' })
      }
      // Whoever ends hands its place over, so that nobody who comes later slips in between.
      await new Promise<void>(resolve => waiting.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

const text = (bytes: Buffer): string => bytes.toString('base64').replaceAll('=', '')

const formatPhc = ({ memory, passes, parallelism, nonce, hash }: Phc): string =>
  `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${text(nonce)}$${text(hash)}`

/** Parameters are read from the text, so that they may be raised without anybody's password ceasing to work. */
function parsePhc(kept: string): Phc | null {
  const parts = /^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]+)\$([A-Za-z0-9+/]+)$/.exec(kept)
  if (!parts) return null
  const [memory = 0, passes = 0, parallelism = 0] = parts.slice(1, 4).map(Number)
  const [nonce = '', hash = ''] = parts.slice(4)
  return { memory, passes, parallelism, nonce: Buffer.from(nonce, 'base64'), hash: Buffer.from(hash, 'base64') }
}
