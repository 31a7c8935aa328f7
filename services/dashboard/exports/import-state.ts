// State of an import: the person chooses a file, the service plans it, and carries the plan out by one or more equal requests. Nothing is
// written before the plan was shown.
import { type ReadonlySignal, signal } from '@preact/signals'
import type { AppliedConfiguration, ConfigurationFault, ConfigurationStep } from '#shared/contracts/session/configuration.ts'
import { Refusal, sentenceOf } from '../data/api.ts'

export type ImportStage =
  | { at: 'waiting' }
  | { at: 'reading'; name: string }
  /** The person must enter values that the file does not show, such as URLs of new destinations. */
  | { at: 'asking'; name: string; missing: readonly MissingValue[] }
  | { at: 'planned'; name: string; steps: readonly ConfigurationStep[] }
  | { at: 'writing'; name: string; steps: readonly ConfigurationStep[]; done: number }
  | { at: 'written'; name: string; steps: readonly ConfigurationStep[] }
  /** `done`: steps that were completed before the failure; null: the write had not begun. */
  | { at: 'failed'; sentences: readonly string[]; done: readonly ConfigurationStep[] | null }

export type MissingValue = Required<Pick<ConfigurationFault, 'variable' | 'value'>>

export interface Import {
  stage: ReadonlySignal<ImportStage>
  /** Fault of the entered values, which prevents a plan; null: no fault, or no values were entered yet. */
  refusal: ReadonlySignal<string | null>
  /** Reads a file. Does nothing while another file is read or written. */
  choose(file: File): Promise<void>
  /** `values`: by their variables. */
  giveValues(values: Readonly<Record<string, string>>): Promise<void>
  write(): Promise<void>
  /** Sends no further request. The next stage shows the completed steps. */
  stopWriting(): void
  /** Drops the file, even while the service reads it. */
  restart(): void
}

export interface ImportRequest {
  files: Readonly<Record<string, string>>
  values: Readonly<Record<string, string>>
  dry_run: boolean
}

/** Most bytes of a file, as the service accepts them (v3 14.1). */
const bytesMost = 16 * 1024 * 1024

export function createImport(send: (request: ImportRequest) => Promise<AppliedConfiguration>): Import {
  const stage = signal<ImportStage>({ at: 'waiting' })
  const refusal = signal<string | null>(null)
  /** The present file; another object means another choice, whose results come later. */
  let chosen: ImportRequest = { files: {}, values: {}, dry_run: true }
  let name = ''
  let isStopped = false
  const fail = (sentences: readonly string[], done: readonly ConfigurationStep[] | null = null) => {
    stage.value = { at: 'failed', sentences, done }
  }
  const plan = async () => {
    const mine = chosen
    try {
      const { steps } = await send(mine)
      if (chosen === mine) stage.value = { at: 'planned', name, steps }
    } catch (error) {
      if (chosen !== mine) return
      const faults = faultsOf(error)
      const missing = faults.filter(isMissing)
      if (missing.length === 0 || missing.length < faults.length) return fail(sentencesOf(error))
      const wrong = missing.find(({ variable }) => mine.values[variable] !== undefined)
      refusal.value = wrong === undefined ? null : faultSentence(wrong)
      stage.value = { at: 'asking', name, missing }
    }
  }
  const restart = () => {
    chosen = { files: {}, values: {}, dry_run: true }
    stage.value = { at: 'waiting' }
    refusal.value = null
  }
  return {
    stage,
    refusal,
    choose: async file => {
      if (stage.peek().at === 'reading' || stage.peek().at === 'writing') return
      restart()
      name = file.name
      if (file.size > bytesMost) return fail([`${name}: it has more than ${bytesMost} bytes.`])
      const mine = chosen
      stage.value = { at: 'reading', name }
      const text = await file.arrayBuffer().then(textOf, () => null)
      if (chosen !== mine) return
      if (text === null) return fail([`${name}: it is not UTF-8.`])
      chosen = { ...mine, files: { [name]: text } }
      await plan()
    },
    giveValues: async values => {
      chosen = { ...chosen, values: { ...chosen.values, ...values } }
      refusal.value = null
      await plan()
    },
    write: async () => {
      const planned = stage.peek()
      if (planned.at !== 'planned') return
      const { steps } = planned
      const done = new Map<string, ConfigurationStep>()
      isStopped = false
      const sendOn = async () => {
        stage.value = { at: 'writing', name, steps, done: done.size }
        if (isStopped) throw new Refusal(0, '', 'The import was stopped.')
        return send({ ...chosen, dry_run: false })
      }
      try {
        await carryOut(sendOn, done)
        stage.value = { at: 'written', name, steps }
      } catch (error) {
        fail(sentencesOf(error), [...done.values()])
      }
    },
    stopWriting: () => {
      isStopped = true
    },
    restart,
  }
}

/** Sends until nothing remains, and adds the completed steps to `done`. */
async function carryOut(send: () => Promise<AppliedConfiguration>, done: Map<string, ConfigurationStep>): Promise<void> {
  let last: AppliedConfiguration
  do {
    last = await send()
    // What an earlier request has done is left by the next one, and counts once.
    for (const step of last.steps) if (!done.has(idOf(step))) done.set(idOf(step), step)
  } while (last.state === 'unfinished')
  if (last.failed !== null) throw new Refusal(0, '', failureSentence(last.failed))
}

const idOf = ({ kind, name }: ConfigurationStep): string => `${kind} ${name}`

function textOf(bytes: ArrayBuffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

const faultsOf = (error: unknown): readonly ConfigurationFault[] =>
  error instanceof Refusal && Array.isArray(error.facts['faults']) ? error.facts['faults'] : []

const isMissing = (fault: ConfigurationFault): fault is ConfigurationFault & MissingValue => fault.variable !== undefined

/** Returns sentences about an error: one for each fault of the file. */
export function sentencesOf(error: unknown): readonly string[] {
  const faults = faultsOf(error)
  return faults.length === 0 ? [sentenceOf(error)] : faults.map(faultSentence)
}

/** Returns a sentence with the file, the line, the object and the field. */
function faultSentence({ file, line, place, object, message }: ConfigurationFault): string {
  const where = [file, line === null ? null : `line ${line}`, object].filter(part => part !== null)
  const isSyntax = /^\d+:\d+$/.test(place)
  return `${where.join(', ')}: ${place === '' || isSyntax ? '' : `${place}: `}${message}.`
}

function failureSentence({ kind, name, message, file, line, may_repeat }: NonNullable<AppliedConfiguration['failed']>): string {
  const place = file === null ? '' : `${file}, line ${line}: `
  const advice = may_repeat ? 'import the file again to go on' : 'correct it, and import the file again to go on'
  return `${place}${kind} ${name} failed: ${message.replace(/\.$/, '')}; ${advice}.`
}

/** Returns a text such as `2 made, 1 changed, 30 left as they are`. */
export function countsSentence(steps: readonly ConfigurationStep[]): string {
  const count = (result: ConfigurationStep['result']) => steps.filter(step => step.result === result).length
  return `${count('made')} made, ${count('changed')} changed, ${count('left')} left as ${count('left') === 1 ? 'it is' : 'they are'}`
}

/** Returns the number of steps that bind a Resource to another revision. Every such step closes the open Incidents of the Resource. */
export const rebinds = (steps: readonly ConfigurationStep[]): number =>
  steps.filter(({ kind, result, what }) => kind === 'Resource' && result === 'changed' && /^from \S+ to \S+/.test(what)).length
