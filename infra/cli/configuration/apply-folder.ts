// `./watchkeeper apply`: reads the files and sends them. The service plans and carries out the plan; a long one takes several equal requests.
// Prints one line for each step, and the counts at the end.

import { ApiRefusal } from '#shared/api-v3/errors.ts'
import {
  type AppliedConfiguration,
  type ConfigurationFault,
  configurationResults as results,
  type ConfigurationStep as Step,
} from '#shared/contracts/session/configuration.ts'
import { clientLimits } from '#shared/limits/limits-of-clients.ts'
import { FileFault } from '../../../services/gateway/configuration/file-fault.ts'
import { standInName } from '../../../services/gateway/configuration/step.ts'
import { exitCodes, StartError } from '../../runtime/start-error.ts'
import { asStartError } from '../api/with-api.ts'
import { type InWorkspace, withWorkspace } from '../api/with-workspace.ts'
import type { ApiOptions } from '../noun.ts'
import { oneLine, printJson, say, warn } from '../terminal/printing.ts'
import { readFolder } from './read-folder.ts'

export interface ApplyOptions extends ApiOptions {
  dryRun?: boolean
  prune?: boolean
}

type Failed = NonNullable<AppliedConfiguration['failed']>
type Send = (isDryRun: boolean) => Promise<AppliedConfiguration>

export async function applyFolder(folder: string, options: ApplyOptions): Promise<void> {
  const { json = false, dryRun = false, prune = false } = options
  try {
    const files = await readFolder(folder)
    await withWorkspace(options, async place => {
      const send: Send = async isDryRun => {
        const body = { files, values: valuesIn(process.env), prune, dry_run: isDryRun }
        const path = `${place.root}/configuration`
        const request = { method: 'POST', path, body, waitMs: clientLimits.configurationMs } as const
        return (await place.api.call(request).catch(asFileFault)) as AppliedConfiguration
      }
      place.api.say('the files are compared …')
      if (dryRun) return printPlan(await send(true), json)
      if (prune && !json) announceLosses(await send(true))
      await run(send, place, json)
    })
  } catch (error) {
    if (json && error instanceof FileFault) printJson({ error: faultForScripts(error) })
    throw error
  }
}

/** Returns the variables that may give values which no file shows. */
const valuesIn = (environment: NodeJS.ProcessEnv) =>
  Object.fromEntries(
    Object.entries(environment).filter(([name]) => /^WATCHKEEPER_(DESTINATION|RESOURCE|SUBJECT|TEMPLATE)_/.test(name)),
  )

/** Throws the faults of the files that a refusal names, else the error. */
function asFileFault(error: unknown): never {
  const { faults = [] } = error instanceof ApiRefusal ? (error.body.details as { faults?: ConfigurationFault[] }) : {}
  const [first, ...others] = faults.map(
    ({ file, place, message, line, column, object }) =>
      new FileFault(oneLine(file), place, oneLine(message), line === null ? null : { line, column: column ?? 1 }, object),
  )
  if (first === undefined) throw error
  first.others = others
  throw first
}

/** Prints the plan. The exit code says whether the workspace differs from the files. */
function printPlan({ steps, counts }: AppliedConfiguration, json: boolean): void {
  if (steps.some(({ result }) => result !== 'left')) process.exitCode = exitCodes.differs
  if (json) {
    printJson({ dry_run: true, steps, counts })
    return
  }
  say('Nothing is written. It would be:')
  for (const step of steps) {
    printStep(step)
    for (const { member, old, new: now } of step.changes ?? [])
      say(`            ${member}: ${shownValue(old)} -> ${shownValue(now)}`)
  }
  say(`${summary(steps)}.`)
}

const shownValue = (value: unknown): string => (value === undefined || value === null ? '(none)' : JSON.stringify(value))

/** Sends the request until nothing remains. A step that an earlier response had is `left` in the next one, and counts once. */
async function run(send: Send, { api }: InWorkspace, json: boolean): Promise<void> {
  const done = new Map<string, Step>()
  let remaining = 0
  let failed: Failed | null = null
  const end = (failure: object = {}) => {
    const steps = [...done.values()]
    if (json) return printJson({ dry_run: false, steps, counts: countsOf(steps), ...failure })
    say(remaining === 0 ? `${summary(steps)}.` : `${summary(steps)}; ${remaining} of ${steps.length + remaining} are not done.`)
  }
  do {
    const sent = await send(false).catch(error => {
      const cause = asStartError(error)
      if (!(cause instanceof StartError) || cause.exitCode !== exitCodes.notRunning) throw error
      if (done.size > 0) end({ failed: { message: cause.message } })
      throw new StartError(`${cause.message} Run it again to go on.`, cause.exitCode, cause.refusal)
    })
    for (const step of sent.steps) {
      const id = `${step.kind} ${step.name}`
      if (done.has(id)) continue
      done.set(id, step)
      if (!json) printStep(step)
    }
    remaining = sent.remaining
    failed = sent.failed
    api.say(`${done.size} of ${done.size + remaining} objects are done …`)
  } while (remaining > 0 && failed === null)
  if (failed === null) return end()
  const { kind, name, message, may_repeat: mayRepeat } = failed
  end({ failed: { kind, name, message } })
  throw new StartError(failureSentence(failed), mayRepeat ? exitCodes.notRunning : exitCodes.refused)
}

function failureSentence({ kind, name, message, file, line, may_repeat: mayRepeat }: Failed): string {
  const place = file === null ? '' : `${file}:${line}: `
  const advice = mayRepeat ? 'run it again to go on' : 'correct it, and run it again to go on'
  return oneLine(`${place}${kind} ${name} failed: ${message.replace(/\.$/, '')}; ${advice}.`)
}

/** Announces deletions before the first deletion runs. */
function announceLosses({ steps }: AppliedConfiguration): void {
  const losses = steps.filter(({ result, name }) => (result === 'deleted' || result === 'archived') && name !== standInName)
  if (losses.length === 0) return
  warn('No file names these, and --prune takes them away:')
  for (const { result, kind, name } of losses) warn(`  ${kind} ${name} will be ${result}`)
}

const printStep = ({ result, kind, name, what }: Step): void =>
  say(`${result.padEnd(8)}  ${kind} ${name}${what === '' ? '' : `: ${what}`}`)

/** Returns `3 made, 0 changed, 997 left`. The counts of deleted and archived objects appear only if they are above 0. */
function summary(steps: readonly Step[]): string {
  const counts = countsOf(steps)
  const shown = results.filter(one => counts[one] > 0 || (one !== 'deleted' && one !== 'archived'))
  return shown.map(one => `${counts[one]} ${one}`).join(', ')
}

function countsOf(steps: readonly Step[]): Record<Step['result'], number> {
  const counts = { made: 0, changed: 0, left: 0, deleted: 0, archived: 0 }
  for (const { result } of steps) counts[result]++
  return counts
}

/** Returns a fault as JSON. `place` is the number of the line in the file; `message` begins with the dotted path. */
const faultForScripts = (fault: FileFault) => ({
  ...fault.toJSON(),
  place: String(fault.at?.line ?? ''),
  message: fault.sentence,
})
