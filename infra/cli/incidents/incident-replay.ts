// `./watchkeeper incident replay`: an incident rebuilt from its records, step by step. The command reads the records over the bus,
// because the API does not return records.
import { setTimeout } from 'node:timers/promises'
import type { IncidentDocument } from '#shared/contracts/incidents/incident.ts'
import { limits } from '#shared/limits/limits.ts'
import { type Replay, type ReplayStep, replayIncident } from '../../replay/replay-incident.ts'
import { exitCodes, StartError } from '../../runtime/start-error.ts'
import { type Ask, withInstallation } from '../installation/running-installation.ts'
import type { JsonOption } from '../noun.ts'
import { instant, printJson, say } from '../terminal/printing.ts'
import { findIncident, readRecords } from './incident-records.ts'

const looksMax = 3

export async function replay(named: string, options: JsonOption): Promise<void> {
  const { incident, replayed } = await withInstallation(async ask => readAndReplay(ask, await findIncident(ask, named)))
  if (options.json) printJson(readable(incident, replayed))
  else print(incident, replayed)
  if (replayed.faults.length > 0)
    throw new StartError(`The records do not lead to the stored incident:\n  ${replayed.faults.join('\n  ')}`, exitCodes.failed)
}

/**
 * Reads an incident and replays its records. A change between the reads of incident, history and subject looks like a fault, because the
 * keeper writes incident and history shortly after the subject. So after a fault, reads all three documents again.
 */
async function readAndReplay(ask: Ask, id: string): Promise<{ incident: IncidentDocument; replayed: Replay }> {
  for (let looks = 1; ; looks++) {
    const records = await readRecords(ask, id)
    if (records === null) throw new StartError(`The incident ${id} is gone.`, exitCodes.notFound)
    const { incident, history, held } = records
    const replayed = replayIncident(incident, history, held)
    const isSettled = incident.open === 0 && held === null
    if (replayed.faults.length === 0 || isSettled || looks === looksMax) return { incident, replayed }
    await setTimeout(limits.keeper.outboxMs)
  }
}

function print(incident: IncidentDocument, { steps, faults }: Replay): void {
  say(`incident ${incident.number} of subject ${incident.subjectId}, rule ${incident.ruleKey}`)
  for (const step of steps) for (const line of lines(step)) say(line)
  if (faults.length === 0) say(`${steps.length} records lead to the stored incident: ${incident.status}`)
}

function lines({ sequence, at, kind, event, state, deadlineAt, explanation, evidence, faults }: ReplayStep): string[] {
  const inputs = (evidence?.inputs ?? []).map(({ input, value, reason }) => `${input} ${value}${reason ? ` (${reason})` : ''}`)
  return [
    `${String(sequence).padStart(4)}  ${when(at)}  ${kind}`,
    `      event     ${event?.type ?? 'none'} at ${when(event?.at)}`,
    `      evidence  ${explanation}${inputs.length > 0 ? `: ${inputs.join(', ')}` : ''}`,
    `      state     ${state}`,
    `      deadline  ${when(deadlineAt)}`,
    ...faults.map(fault => `      FAULT     ${fault}`),
  ]
}

/** Returns an instant as text. Returns `none` for a damaged record without a valid instant. */
const when = (at: unknown) => (typeof at === 'number' && !Number.isNaN(new Date(at).getTime()) ? instant(at) : 'none')

const readable = (incident: IncidentDocument, { steps, faults }: Replay) => ({
  incident: incident.id,
  status: incident.status,
  steps: steps.map(step => ({
    ...step,
    at: when(step.at),
    deadlineAt: step.deadlineAt === null ? null : when(step.deadlineAt),
  })),
  faults,
})
