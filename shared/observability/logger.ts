// Structured logs: callers pass an object with the fields first, then a fixed message. Secrets are redacted here for all callers, and no
// message can flood the log.
import { type DestinationStream, type LogFn, type Logger, pino } from 'pino'
import { limits } from '#shared/limits/limits.ts'
import { redactedText } from '#shared/secrecy/redacted-text.ts'
import { redactedNamed } from '#shared/secrecy/redacted-value.ts'
import { type Clock, createSystemClock } from '#shared/time/clock.ts'

export type { Logger }

const secretPaths = ['key', 'token', 'secret', 'password', 'authorization', 'url', 'credentials']

export interface LoggerOptions {
  clock?: Pick<Clock, 'monotonic' | 'schedule'>
  /** Stream that gets the log lines; absent: standard error. */
  destination?: DestinationStream
}

/**
 * Returns the logger of the process, which writes JSON lines. `level` is one of trace, debug, info, warn, error, silent. From info to
 * error, lines of the same message beyond `limits.log` are counted and left out.
 */
export function createLogger(level: string, options: LoggerOptions = {}): Logger {
  const passes = level === 'silent' ? () => true : createGate(options.clock ?? createSystemClock())
  return pino(
    {
      level,
      base: null,
      redact: { paths: secretPaths.flatMap(path => [path, `*.${path}`, `*.*.${path}`]), censor: '[redacted]' },
      formatters: { level: label => ({ level: label }), log: shownFields },
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

/** No name of a credential: the names of the fields themselves are our own (`keyId`), and `secretPaths` has the secret ones. */
const ownName = ''

/** Returns the fields of a line in display form. An error stays for `shownError`. */
const shownFields = (fields: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [name, value instanceof Error ? value : redactedNamed(ownName, value)]),
  )

/**
 * Returns an error as a log line shows it, with addresses in display form. Leaves out the stack of expected errors (an unreachable store or bus, refused credentials),
 * because the code is not at fault.
 */
function shownError(error: Error): object {
  const { message, stack, ...others } = pino.stdSerializers.err(error)
  const shown = { ...others, message: redactedText(message), stack: redactedText(stack) }
  if (!isExpected(error as Partial<Expected>)) return shown
  const { stack: _, ...rest } = shown
  return rest
}

interface Expected {
  name: string
  kind: string
  retryable: boolean
}

/** Names of errors of the bus client. */
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

/** Debug lines are not bounded, because an operator requested them. Fatal lines are always written. */
const isBounded = (level: number): boolean => level >= pino.levels.values['info']! && level < pino.levels.values['fatal']!

interface Spell {
  beganAt: number
  lines: number
  leftOut: number
}

/**
 * Returns a function that returns true if a line may be written. At the end of a period, calls `onLeftOut` of the first omitted line with
 * the number of omitted lines.
 */
function createGate(clock: Pick<Clock, 'monotonic' | 'schedule'>) {
  const { lines, spellMs, sentences } = limits.log
  const spells = new Map<string, Spell>()

  return (sentence: string, onLeftOut: (count: number) => void): boolean => {
    const now = clock.monotonic()
    let spell = spells.get(sentence)
    if (spell === undefined || (now - spell.beganAt >= spellMs && spell.leftOut === 0)) {
      // Messages are fixed texts, so there are too many different messages only if a caller puts data into messages.
      if (spells.size >= sentences) spells.clear()
      spell = { beganAt: now, lines: 0, leftOut: 0 }
      spells.set(sentence, spell)
    }
    spell.lines++
    if (spell.lines <= lines) return true
    spell.leftOut++
    if (spell.leftOut > 1) return false
    const ending = spell
    clock.schedule(Math.max(0, ending.beganAt + spellMs - now), () => {
      if (spells.get(sentence) === ending) spells.delete(sentence)
      onLeftOut(ending.leftOut)
    })
    return false
  }
}
