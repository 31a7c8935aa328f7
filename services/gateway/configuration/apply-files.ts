// The two requests for configuration: apply files to a workspace, and export a workspace to files. Stores nothing itself: every change is a
// request to a route of the API. Pure but for these requests.
import type { AppliedConfiguration, ConfigurationFault, ExportedConfiguration } from '#shared/contracts/session/configuration.ts'
import { limits } from '#shared/limits/limits.ts'
import type { Clients } from './api.ts'
import { readObjects } from './document.ts'
import { exportFiles, inOneFile } from './export-files.ts'
import { createFaults, FileFault } from './file-fault.ts'
import { plan } from './plan.ts'
import { readPresent } from './present.ts'
import { runSteps, StepFailure } from './run-steps.ts'
import type { Step } from './step.ts'
import { readWanted } from './wanted.ts'

export const faultObject = (fault: FileFault): ConfigurationFault => ({
  ...fault.toJSON(),
  object: fault.object,
  ...fault.missing,
})

export interface FilesToApply {
  /** Texts by the names that faults and steps show. */
  files: Readonly<Record<string, string>>
  /** Values that no file shows, by the names of their variables. */
  values: Readonly<Record<string, string>>
  isDryRun: boolean
  prune: boolean
}

export interface Pace {
  /** Called when the plan is made, before its first step runs. */
  onPlanned(): void
  /** Whether no further step may begin. */
  isOver(): boolean
}

/** Plans, and unless it is a dry run, runs the steps. Throws FileFault before the first step, and RouteRefusal for a read that is refused. */
export async function applyFiles(
  given: FilesToApply,
  clients: Clients,
  { onPlanned, isOver }: Pace,
): Promise<AppliedConfiguration> {
  const { prune, values: environment } = given
  const wanted = readWanted(objectsOf(given.files))
  const present = await readPresent(clients, {
    withClassic: prune || wanted.subjects.length + wanted.tables.length > 0,
    tablesOf: prune ? null : new Set(wanted.tables.map(({ subject }) => subject)),
  })
  const steps = plan(wanted, present, { workspace: clients.workspace, prune, environment })
  if (given.isDryRun) return applied('planned', steps, steps)
  onPlanned()
  const done: Step[] = []
  try {
    await runSteps(steps, { clients, present, onDone: step => done.push(step), isOver })
    return applied(done.length < steps.length ? 'unfinished' : 'applied', done, steps)
  } catch (error) {
    if (!(error instanceof StepFailure)) throw error
    const { step, message, mayRepeat } = error
    const { file, line } = step.source === null ? { file: null, line: null } : placeOf(step.source)
    const failed = { kind: step.kind, name: step.name, message, file, line, may_repeat: mayRepeat }
    return { ...applied('failed', done, steps), failed }
  }
}

function objectsOf(files: FilesToApply['files']) {
  const faults = createFaults()
  const sorted = Object.entries(files).sort(([one], [other]) => (one < other ? -1 : 1))
  const objects = faults.each(sorted, ([file, text]) => readObjects(file, text.replace(/^\uFEFF/, ''))).flat()
  faults.settle()
  const most = limits.configuration.objects
  const file = sorted.length === 1 ? (sorted[0]?.[0] ?? '') : 'files'
  if (objects.length > most) throw new FileFault(file, '', `it holds more than ${most} objects`)
  // Nothing is refused, because it means a wrong name or a failed checkout. With `prune`, it would delete everything.
  if (objects.length === 0) throw new FileFault(file, '', 'it holds no configuration: there is no object in it')
  return objects
}

function applied(state: AppliedConfiguration['state'], shown: readonly Step[], steps: readonly Step[]): AppliedConfiguration {
  const counts = { made: 0, changed: 0, left: 0, deleted: 0, archived: 0 }
  for (const { verb } of shown) counts[verb]++
  const remaining = steps.length - (state === 'planned' ? 0 : shown.length)
  return { state, steps: shown.map(stepObject), counts, remaining, failed: null }
}

const stepObject = ({ verb, kind, name, what, changes, source }: Step) => ({
  result: verb,
  kind,
  name,
  what,
  ...(changes === undefined
    ? {}
    : { changes: changes.map(({ member, old = null, new: now = null }) => ({ member, old, new: now })) }),
  ...(source === null ? {} : placeOf(source)),
})

const placeOf = ({ file, positionOf }: NonNullable<Step['source']>) => ({ file, line: positionOf('').line })

/** Returns the workspace as files, or all of them as one document. Throws RouteRefusal. */
export async function exportWorkspace(clients: Clients, isOneDocument: boolean): Promise<ExportedConfiguration> {
  const { files, ...about } = exportFiles(await readPresent(clients, { withClassic: true, tablesOf: null }))
  if (isOneDocument) return { document: inOneFile(files), ...about }
  return { files: Object.fromEntries(files.map(({ path, text }) => [path, text])), ...about }
}
