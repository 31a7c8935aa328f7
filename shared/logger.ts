// Structured logs: object first, fixed sentence second. Secrets are redacted here, once, whoever logs them.
import { type Logger, pino } from 'pino'

export type { Logger }

const secretPaths = ['key', 'token', 'secret', 'password', 'authorization', 'url', 'credentials']

/** The process's logger. `level` is one of trace, debug, info, warn, error, silent. Writes JSON lines to stderr. */
export function createLogger(level: string): Logger {
  return pino(
    {
      level,
      base: null,
      redact: { paths: secretPaths.flatMap(path => [path, `*.${path}`, `*.*.${path}`]), censor: '[redacted]' },
      formatters: { level: label => ({ level: label }) },
      timestamp: pino.stdTimeFunctions.isoTime,
    },
    pino.destination({ dest: 2, sync: false }),
  )
}
