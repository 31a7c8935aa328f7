// State of an import: the person chooses a file, the file is read and planned, and the changes are written step by step. Nothing is written
// before the plan was shown.
import { type ReadonlySignal, signal } from '@preact/signals'
import type { ReadingProgress, ShownStep } from '#shared/contracts/session/configuration-script.ts'
import { sentenceOf } from '../data/api.ts'
import type { Script } from './script.ts'

export type ImportStage =
  | { at: 'waiting' }
  | { at: 'reading'; name: string; progress: ReadingProgress }
  /** The person must enter the URLs of new destinations, because the plan needs these URLs. */
  | { at: 'asking'; name: string; destinations: readonly string[] }
  | { at: 'planned'; name: string; steps: readonly ShownStep[] }
  | { at: 'writing'; name: string; steps: readonly ShownStep[]; done: number }
  | { at: 'written'; name: string; steps: readonly ShownStep[] }
  /** `done`: steps that were completed before the failure; null: the write had not begun. */
  | { at: 'failed'; sentence: string; done: readonly ShownStep[] | null }

export interface Import {
  stage: ReadonlySignal<ImportStage>
  /** Fault of the entered URLs, which prevents a plan; null: no fault, or no URLs were entered yet. */
  refusal: ReadonlySignal<string | null>
  /** Reads a file. Does nothing while another file is read or written. */
  choose(file: File): Promise<void>
  giveUrls(urls: ReadonlyMap<string, string>): Promise<void>
  write(): Promise<void>
  /** Sends no further request. The next stage shows the completed steps. */
  stopWriting(): void
  /** Drops the file, even while the file is being read. */
  restart(): void
  /** Must be called when the person leaves the page. A running write continues. */
  leave(): void
}

interface ImportContext {
  /** Starts the script in the present workspace, in a separate worker. */
  open(onProgress: (progress: ReadingProgress) => void): Script
}

export function createImport({ open }: ImportContext): Import {
  const stage = signal<ImportStage>({ at: 'waiting' })
  const refusal = signal<string | null>(null)
  let script: Script | null = null
  let name = ''
  const end = () => {
    script?.end()
    script = null
  }
  const fail = (error: unknown, done: readonly ShownStep[] | null = null) => {
    stage.value = { at: 'failed', sentence: failureSentence(error), done }
    end()
  }
  const plan = async (mine: Script, urls: ReadonlyMap<string, string>) => {
    const steps = await mine.plan(urls)
    if (script === mine) stage.value = { at: 'planned', name, steps }
  }
  const restart = () => {
    end()
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
      const hear = (progress: ReadingProgress) => {
        if (stage.peek().at === 'reading') stage.value = { at: 'reading', name, progress }
      }
      stage.value = { at: 'reading', name, progress: { at: 'file', share: 0 } }
      const mine = open(hear)
      script = mine
      try {
        const destinations = await mine.readFile(file)
        if (script !== mine) return
        if (destinations.length > 0) stage.value = { at: 'asking', name, destinations }
        else await plan(mine, new Map())
      } catch (error) {
        if (script === mine) fail(error)
      }
    },
    giveUrls: async urls => {
      if (script === null) return
      refusal.value = null
      await plan(script, urls).catch(error => {
        refusal.value = failureSentence(error)
      })
    },
    write: async () => {
      const planned = stage.peek()
      if (planned.at !== 'planned' || script === null) return
      const { steps } = planned
      const done: ShownStep[] = []
      stage.value = { at: 'writing', name, steps, done: 0 }
      try {
        await script.run(more => {
          done.push(...more)
          stage.value = { at: 'writing', name, steps, done: done.length }
        })
        stage.value = { at: 'written', name, steps }
        end()
      } catch (error) {
        fail(error, done)
      }
    },
    stopWriting: () => script?.stop(),
    restart,
    leave: () => {
      if (stage.peek().at !== 'writing') end()
    },
  }
}

/** Returns a sentence about the failure. An error of the script already has a sentence as its message. */
export const failureSentence = (error: unknown): string =>
  error instanceof Error && error.name === 'Error' ? error.message : sentenceOf(error)

/** Returns a text such as `2 made, 1 changed, 30 left as they are`. */
export function countsSentence(steps: readonly ShownStep[]): string {
  const count = (verb: ShownStep['verb']) => steps.filter(step => step.verb === verb).length
  return `${count('made')} made, ${count('changed')} changed, ${count('left')} left as ${count('left') === 1 ? 'it is' : 'they are'}`
}

/** Returns the number of steps that bind a Resource to another revision. Every such step closes the open Incidents of the Resource. */
export const rebinds = (steps: readonly ShownStep[]): number =>
  steps.filter(({ kind, verb, what }) => kind === 'Resource' && verb === 'changed' && /^from \S+ to \S+/.test(what)).length
