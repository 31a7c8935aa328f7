// `./watchkeeper apply`: reads files and workspace, plans steps, and runs the steps. Prints one line after each step, and the counts at the
// end.

import { FileFault } from '../../../services/gateway/configuration/file-fault.ts'
import { plan } from '../../../services/gateway/configuration/plan.ts'
import { readPresent } from '../../../services/gateway/configuration/present.ts'
import { failureSentence, runSteps, StepFailure } from '../../../services/gateway/configuration/run-steps.ts'
import { type Step, type Verb, verbs } from '../../../services/gateway/configuration/step.ts'
import { readWanted } from '../../../services/gateway/configuration/wanted.ts'
import { exitCodes, StartError } from '../../runtime/start-error.ts'
import { type InWorkspace, withWorkspace } from '../api/with-workspace.ts'
import type { ApiOptions } from '../noun.ts'
import { oneLine, printJson, say, warn } from '../terminal/printing.ts'
import { startProgress } from '../terminal/progress.ts'
import { readFolder } from './read-folder.ts'

export interface ApplyOptions extends ApiOptions {
  dryRun?: boolean
  prune?: boolean
}

export async function applyFolder(folder: string, options: ApplyOptions): Promise<void> {
  try {
    // Reads the files first, because their faults can be found without an installation.
    const progress = startProgress('the files are read …')
    const wanted = readWanted(await readFolder(folder, progress.say).finally(progress.end))
    await withWorkspace(options, async place => {
      requireEditor(place)
      const { prune = false } = options
      const withClassic = prune || wanted.subjects.length + wanted.tables.length > 0
      const tablesOf = prune ? null : new Set(wanted.tables.map(({ subject }) => subject))
      const clients = { api: place.api, workspace: place.workspace.id }
      const present = await readPresent(clients, { withClassic, tablesOf })
      const steps = plan(wanted, present, { workspace: place.workspace.id, prune, environment: process.env })
      if (options.dryRun) return printPlan(steps, options)
      await run(steps, { clients, present, place, options })
    })
  } catch (error) {
    if (options.json && error instanceof FileFault) printJson({ error: faultObject(error) })
    throw error
  }
}

/** Throws a StartError for a viewer. The API redacts values in responses to viewers, and redacted values cannot be compared. */
export function requireEditor({ workspace }: InWorkspace): void {
  if (workspace.role !== 'viewer') return
  throw new StartError(
    `The owner of the key is a viewer of the workspace "${oneLine(workspace.name)}", and must be editor or owner.`,
    exitCodes.refused,
  )
}

/** Prints the plan. The exit code says whether the workspace differs from the files. */
function printPlan(steps: readonly Step[], options: ApplyOptions): void {
  if (steps.some(({ verb }) => verb !== 'left')) process.exitCode = exitCodes.differs
  if (options.json) {
    printJson({ dry_run: true, steps: steps.map(stepObject), counts: countsOf(steps) })
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

interface Run {
  clients: Parameters<typeof readPresent>[0]
  present: Parameters<typeof runSteps>[1]['present']
  place: InWorkspace
  options: ApplyOptions
}

async function run(steps: readonly Step[], { clients, present, place, options }: Run): Promise<void> {
  if (!options.json) announceLosses(steps)
  const done: Step[] = []
  const onDone = (step: Step) => {
    done.push(step)
    place.api.say(`${done.length} of ${steps.length} objects are done …`)
    if (!options.json) printStep(step)
  }
  try {
    await runSteps(steps, { clients, present, onDone })
  } catch (error) {
    const failed = error instanceof StepFailure ? failureObject(error) : { message: String((error as Error).message) }
    if (options.json) printJson({ dry_run: false, steps: done.map(stepObject), counts: countsOf(done), failed })
    else say(`${summary(done)}; ${steps.length - done.length} of ${steps.length} are not done.`)
    if (error instanceof StepFailure) throw sentenceOf(error)
    throw error
  }
  if (options.json) printJson({ dry_run: false, steps: done.map(stepObject), counts: countsOf(done) })
  else say(`${summary(done)}.`)
}

/** Announces deletions before the first deletion runs. */
function announceLosses(steps: readonly Step[]): void {
  const losses = steps.filter(isLoss)
  if (losses.length === 0) return
  warn('No file names these, and --prune takes them away:')
  for (const { verb, kind, name } of losses) warn(`  ${kind} ${name} will be ${verb}`)
}

const isLoss = ({ phase, verb }: Step) => phase !== 'destinations' && (verb === 'deleted' || verb === 'archived')

const printStep = ({ verb, kind, name, what }: Step): void =>
  say(`${verb.padEnd(8)}  ${kind} ${name}${what === '' ? '' : `: ${what}`}`)

/** Returns `3 made, 0 changed, 997 left`. The counts of deleted and archived objects appear only if they are above 0. */
function summary(steps: readonly Step[]): string {
  const counts = countsOf(steps)
  const shown = verbs.filter(verb => counts[verb] > 0 || (verb !== 'deleted' && verb !== 'archived'))
  return shown.map(verb => `${counts[verb]} ${verb}`).join(', ')
}

function countsOf(steps: readonly Step[]): Record<Verb, number> {
  const counts = { made: 0, changed: 0, left: 0, deleted: 0, archived: 0 }
  for (const { verb } of steps) counts[verb]++
  return counts
}

const stepObject = ({ verb, kind, name, what, changes, source }: Step) => ({
  result: verb,
  kind,
  name,
  what,
  ...(changes === undefined
    ? {}
    : { changes: changes.map(({ member, old = null, new: now = null }) => ({ member, old, new: now })) }),
  ...(source === null ? {} : { file: source.file, line: source.positionOf('').line }),
})

/** Returns a fault as JSON. `place` is the number of the line in the file; `message` begins with the dotted path. */
const faultObject = (fault: FileFault) => ({
  ...fault.toJSON(),
  place: String(fault.at?.line ?? ''),
  message: fault.sentence,
})

const failureObject = ({ step, message }: StepFailure) => ({ kind: step.kind, name: step.name, message })

const sentenceOf = (failure: StepFailure): StartError =>
  new StartError(failureSentence(failure, 'run it again'), failure.isUnanswered ? exitCodes.notRunning : exitCodes.refused)
