// `watchkeeper incident replay <id>`: rebuilds an incident of the running installation from its records, step by step.
import { setTimeout } from 'node:timers/promises'
import type { Command } from 'commander'
import type { HeldIncident } from '#shared/contracts/ask-subjects.ts'
import type { HistoryDocument, IncidentDocument } from '#shared/contracts/incident.ts'
import { limits } from '#shared/limits.ts'
import { exitCodes, StartError, usageError } from '../embedded/start-error.ts'
import { type Replay, type ReplayStep, replayIncident } from '../replay/replay-incident.ts'
import { instant, oneLine, printJson } from './printing.ts'
import { type Ask, withInstallation } from './running-installation.ts'

const looksMax = 3

interface ReplayOptions {
  json?: boolean
}

export function addIncidentCommands(program: Command): void {
  program
    .command('incident')
    .description('incidents of the running installation')
    .command('replay')
    .description('rebuild an incident from its records alone; fails where they do not lead to what is stored')
    .argument('<id>', 'as the API shows it')
    .option('--json', 'answer JSON, for machines')
    .action(replay)
}

async function replay(id: string, options: ReplayOptions): Promise<void> {
  if (!/^[0-9A-Za-z.]{8,64}$/.test(id)) throw usageError(`"${id}" is no incident id.`)
  const { incident, replayed } = await withInstallation(ask => readAndReplay(ask, id))
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
    const { incident, history, held } = await readRecords(ask, id)
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

async function readRecords(ask: Ask, id: string): Promise<Records> {
  const history: HistoryDocument[] = []
  for (;;) {
    const page = await ask('get-incident-records', { id, afterSequence: history.at(-1)?.sequence ?? 0 })
    if (page.unreadable) {
      const sentence = `The record ${page.unreadable} is damaged and can't be read, so the incident can't be replayed: restore the store from a backup.`
      throw new StartError(sentence)
    }
    if (page.incident === null) throw new StartError(`There is no incident ${id}.`, exitCodes.refused)
    history.push(...page.history)
    if (!page.more) return { incident: page.incident, history, held: page.held }
  }
}

function print(incident: IncidentDocument, { steps, faults }: Replay): void {
  console.log(`incident ${incident.number} of subject ${incident.subjectId}, rule ${incident.ruleKey}`)
  for (const step of steps) console.log(lines(step).join('\n'))
  if (faults.length === 0) console.log(`${steps.length} records lead to what is stored: ${incident.status}`)
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
