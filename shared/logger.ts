// Structured logs: object first, fixed sentence second. Secrets are redacted here, once, whoever logs them, and no sentence fills the log.
import { type DestinationStream, type LogFn, type Logger, pino } from 'pino'
import { type Clock, createSystemClock } from '#shared/clock.ts'
import { limits } from '#shared/limits.ts'

export type { Logger }

const secretPaths = ['key', 'token', 'secret', 'password', 'authorization', 'url', 'credentials']

export interface LoggerOptions {
  clock?: Pick<Clock, 'monotonic' | 'after'>
  /** Absent: standard error. */
  destination?: DestinationStream
}

/**
 * The process's logger. `level` is one of trace, debug, info, warn, error, silent. Writes JSON lines. Of the lines of one sentence from info
 * to error, those beyond limits.log are counted and left out.
 */
export function createLogger(level: string, options: LoggerOptions = {}): Logger {
  const passes = level === 'silent' ? () => true : createGate(options.clock ?? createSystemClock())
  return pino(
    {
      level,
      base: null,
      redact: { paths: secretPaths.flatMap(path => [path, `*.${path}`, `*.*.${path}`]), censor: '[redacted]' },
      formatters: { level: label => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: shownError },
      hooks: {
        logMethod(line, write, levelNumber) {
          const sentence = typeof line[0] === 'string' ? line[0] : line[1]
          const leftOut = (count: number) => write.apply(this, [{ sentence, count }, 'log lines left out'])
          if (!isBounded(levelNumber) || passes(String(sentence), leftOut)) write.apply(this, line as Parameters<LogFn>)
        },
      },
    },
    options.destination ?? pino.destination({ dest: 2, sync: false }),
  )
}

/** What may happen at any time (a store or a bus that is away, refused credentials) is said without a stack: nothing in the code is wrong. */
function shownError(error: Error): object {
  const shown = pino.stdSerializers.err(error)
  if (!isExpected(error as Partial<Expected>)) return shown
  const { stack: _, ...rest } = shown
  return rest
}

interface Expected {
  name: string
  kind: string
  retryable: boolean
}

/** Of the client of the bus. */
const busErrors = new Set([
  'AuthorizationError',
  'UserAuthenticationExpiredError',
  'PermissionViolationError',
  'ProtocolError',
  'ConnectionError',
  'ClosedConnectionError',
])

const isExpected = ({ name = '', kind, retryable }: Partial<Expected>): boolean =>
  name === 'BusError' ||
  busErrors.has(name) ||
  (name === 'StoreError' && kind === 'unavailable') ||
  (name === 'AppError' && retryable === true)

/** Who asks for debug lines wants them all; what ends the process is always said. */
const isBounded = (level: number): boolean => level >= pino.levels.values['info']! && level < pino.levels.values['fatal']!

interface Spell {
  beganAt: number
  lines: number
  leftOut: number
}

/** Whether a line may be written. Of those that may not, `onLeftOut` of the last gets the count at the end of their spell. */
function createGate(clock: Pick<Clock, 'monotonic' | 'after'>) {
  const { lines, spellMs, sentences } = limits.log
  const spells = new Map<string, Spell>()

  return (sentence: string, onLeftOut: (count: number) => void): boolean => {
    const now = clock.monotonic()
    let spell = spells.get(sentence)
    if (spell === undefined || (now - spell.beganAt >= spellMs && spell.leftOut === 0)) {
      // Sentences are fixed, so that there are few.
      if (spells.size >= sentences) spells.clear()
      spell = { beganAt: now, lines: 0, leftOut: 0 }
      spells.set(sentence, spell)
    }
    spell.lines++
    if (spell.lines <= lines) return true
    spell.leftOut++
    if (spell.leftOut > 1) return false
    const ending = spell
    clock.after(Math.max(0, ending.beganAt + spellMs - now), () => {
      if (spells.get(sentence) === ending) spells.delete(sentence)
      onLeftOut(ending.leftOut)
    })
    return false
  }
}
