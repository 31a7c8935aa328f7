// `./watchkeeper observe <resource> <signal>`: reports one Observation, or runs a command and reports its end.
import { randomUUID } from 'node:crypto'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { clientLimits } from '#shared/limits/limits-of-clients.ts'
import { parseDuration } from '#shared/time/durations.ts'
import { StartError, usageError } from '../../runtime/start-error.ts'
import { type ApiOptions, collect, ofWorkspace, overApi } from '../noun.ts'
import { printJson, say, warn } from '../terminal/printing.ts'
import { readPairs } from './pairs.ts'
import { type Report, sendReport } from './report.ts'
import { runReported } from './run-reported.ts'

export interface ObserveOptions extends ApiOptions {
  state?: Report['state']
  value?: number
  reason?: string
  at?: string
  id?: string
  label?: string[]
  address?: string
  template?: string
  meta?: string[]
  patience: number
  output: boolean
  start?: boolean
}

export function addObserveCommand(program: Command): void {
  const command = program
    .command('observe')
    .description('report an Observation; behind --, run a command, report how it ended, and end with its exit code')
    .argument('<resource>', 'its id, key or name; at an address its id or key')
    .argument('<signal>', 'the key of the signal')
    .argument('[command...]', 'behind --: ok for exit 0, else problem; its seconds are the value')
    .addOption(new Option('--state <state>', 'default: ok').choices(['ok', 'problem', 'no_data']))
    .option('--value <number>', 'a number', readNumber)
    .option('--reason <text>', 'one line that says why')
    .option('--at <instant>', 'when it was so, RFC 3339 with a zone (default: now)')
    .option('--id <id>', 'of the report: the same id again stores nothing (default: a random one)')
    .option('--label <key=value>', 'may be given several times', collect)
    .option('--address <url>', 'an Observation address instead of the API (default: WATCHKEEPER_ADDRESS)')
    .option('--template <template>', 'at an address: the Template of a Resource that the report makes')
    .option('--meta <field=value>', 'at an address: an answer of a Resource that the report makes', collect)
    .option(
      '--patience <duration>',
      'how long a server that is away is tried again, up to 10m',
      readPatience,
      readPatience('30s'),
    )
    .option('--start', 'of a scheduled signal: say that a run begins; with a command, before it begins')
    .option('--no-output', 'leave the last line of the command out of the reason')
  overApi(command)
    .option(...ofWorkspace)
    .action((resource: string, signal: string, words: string[], options: ObserveOptions) => {
      // The parser drops `--`, so this line searches the original arguments.
      const isBehindDashes = process.argv.includes('--')
      return observe({ resource, signal }, { words, isBehindDashes }, options)
    })
}

interface Given {
  words: string[]
  isBehindDashes: boolean
}

async function observe(
  about: { resource: string; signal: string },
  { words, isBehindDashes }: Given,
  options: ObserveOptions,
): Promise<void> {
  if (words.length > 0 && !isBehindDashes) throw usageError(`"${words[0]}" is one word too many: a command stands behind --.`)
  if (words.length === 0 && isBehindDashes) throw usageError('There is no command behind --.')
  requireFitting(options, words.length > 0)
  const { value, reason, at } = options
  const labels = options.label && readPairs('--label', options.label, false)
  const report = { ...about, labels, at, id: options.id }
  if (words.length > 0) {
    process.exitCode = await runAndReport(words, report, options)
    return
  }
  const accepted = await sendReport(
    options.start ? markOf(report) : { ...report, state: options.state ?? 'ok', value, reason },
    options,
  )
  if (options.json) printJson(accepted)
  else say(`Observation ${accepted.observation} of ${about.resource} is accepted.`)
}

function requireFitting(options: ObserveOptions, hasCommand: boolean): void {
  const { state, value, reason, json, output, start } = options
  if (hasCommand && (state !== undefined || value !== undefined || reason !== undefined)) {
    throw usageError('--state, --value and --reason go without a command: it says them itself.')
  }
  if (hasCommand && json) throw usageError('--json goes without a command: standard output is the command’s.')
  if (start && (state !== undefined || value !== undefined || reason !== undefined))
    throw usageError('--state, --value and --reason go without --start: a run that begins has none.')
  if (!hasCommand && !output) throw usageError('--no-output goes with a command.')
}

/** Returns the report that a run begins. Its id differs from that of the report that the run has ended. */
const markOf = ({ labels, id, ...report }: Omit<Report, 'state'>): Report => ({
  ...report,
  state: 'no_data',
  labels: { ...labels, phase: 'start' },
  ...(id !== undefined && { id: `${id}.start` }),
})

/** Returns the exit code of the command, even if its reports could not be sent. Start and end share the id of the run. */
async function runAndReport(words: readonly string[], sent: Omit<Report, 'state'>, options: ObserveOptions): Promise<number> {
  const report = options.start ? { ...sent, labels: { ...sent.labels, run: randomUUID() } } : sent
  if (options.start) await sendOrWarn('The start', markOf(report), options)
  const { exitCode, state, seconds, reason } = await runReported(words, options.output)
  const ended = options.start ? { ...report, labels: { ...report.labels, exit_status: String(exitCode) } } : report
  await sendOrWarn('The report', { ...ended, state, value: seconds, ...(reason !== null && { reason }) }, options)
  return exitCode
}

async function sendOrWarn(what: string, report: Report, options: ObserveOptions): Promise<void> {
  try {
    await sendReport(report, options)
  } catch (error) {
    const why = error instanceof StartError ? error.message : String(error)
    warn(`${what} was not sent: ${why}`)
  }
}

function readNumber(text: string): number {
  const number = text.trim() === '' ? Number.NaN : Number(text)
  if (!Number.isFinite(number)) throw new InvalidArgumentError('It must be a number.')
  return number
}

function readPatience(text: string): number {
  const ms = parseDuration(text)
  if (ms === null || ms > clientLimits.patienceMs) throw new InvalidArgumentError('It must be a duration from 0s to 10m.')
  return ms
}
