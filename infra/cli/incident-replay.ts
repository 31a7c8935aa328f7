// `./watchkeeper incident replay`: an incident rebuilt from its records, step by step. It reads records that the API does not serve, over the bus.
import { setTimeout } from 'node:timers/promises'
import { allPages } from '#shared/all-pages.ts'
import type { HeldIncident, IncidentView } from '#shared/contracts/ask-subjects.ts'
import type { HistoryDocument, IncidentDocument } from '#shared/contracts/incident.ts'
import { limits } from '#shared/limits.ts'
import { exitCodes, StartError } from '../embedded/start-error.ts'
import { type Replay, type ReplayStep, replayIncident } from '../replay/replay-incident.ts'
import type { JsonOption } from './noun.ts'
import { type Kind, pick } from './pick.ts'
import { instant, oneLine, printJson } from './printing.ts'
import { type Ask, withInstallation } from './running-installation.ts'

const looksMax = 3

const incidents: Kind<IncidentView> = {
  noun: 'incident',
  plural: 'open incidents',
  lists: './watchkeeper incident list',
  id: incident => incident.publicId,
  name: incident => incident.subjectName,
}

async function openIncidents(ask: Ask): Promise<IncidentView[]> {
  const open: IncidentView[] = []
  for (const { id: workspaceId } of await allPages(after => ask('list-all-workspaces', { after }))) {
    open.push(...(await allPages(after => ask('list-open-incidents', { workspaceId, after }))))
  }
  return open
}

export async function replay(named: string, options: JsonOption): Promise<void> {
  const { incident, replayed } = await withInstallation(async ask => {
    const isId = /^[0-9A-Za-z.]{8,64}$/.test(named) && (await readRecords(ask, named)) !== null
    return readAndReplay(ask, isId ? named : pick(await openIncidents(ask), named, incidents).id)
  })
  if (options.json) printJson(readable(incident, replayed))
  else print(incident, replayed)
  if (replayed.faults.length > 0)
    throw new StartError(
      `The records do not lead to the stored incident:\n  ${replayed.faults.map(oneLine).join('\n  ')}`,
      exitCodes.failed,
    )
}

/**
 * Incident, history and subject are read one after the other, and a subject's documents are written a moment after it: what moved in
 * between is no fault, so a fault is looked at again.
 */
async function readAndReplay(ask: Ask, id: string): Promise<{ incident: IncidentDocument; replayed: Replay }> {
  for (let looks = 1; ; looks++) {
    const records = await readRecords(ask, id)
    if (records === null) throw new StartError(`The incident ${id} is gone.`, exitCodes.notFound)
    const { incident, history, held } = records
    const replayed = replayIncident(incident, history, held)
    const isSettled = incident.open === 0 && held === null
    if (replayed.faults.length === 0 || isSettled || looks === looksMax) return { incident, replayed }
    await setTimeout(limits.keeper.pendingMs)
  }
}

interface Records {
  incident: IncidentDocument
  history: HistoryDocument[]
  held: HeldIncident | null
}

/** Null: there is no such incident. */
async function readRecords(ask: Ask, id: string): Promise<Records | null> {
  const history: HistoryDocument[] = []
  for (;;) {
    const page = await ask('get-incident-records', { id, afterSequence: history.at(-1)?.sequence ?? 0 })
    if (page.unreadable) {
      const sentence = `The record ${page.unreadable} is damaged and can't be read, so the incident can't be replayed: restore the store from a backup.`
      throw new StartError(sentence)
    }
    if (page.incident === null) return null
    history.push(...page.history)
    if (!page.more) return { incident: page.incident, history, held: page.held }
  }
}

function print(incident: IncidentDocument, { steps, faults }: Replay): void {
  console.log(`incident ${incident.number} of subject ${incident.subjectId}, rule ${incident.ruleKey}`)
  for (const step of steps) console.log(lines(step).join('\n'))
  if (faults.length === 0) console.log(`${steps.length} records lead to the stored incident: ${incident.status}`)
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
  ].map(oneLine)
}

/** A damaged record may have no instant. */
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
