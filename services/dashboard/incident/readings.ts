// Readings of evidence as rows for people. Pure.
import type { RecordEvidence } from '#shared/contracts/session/session-incidents.ts'
import { signalName } from '../words/places.ts'

export interface Reading {
  key: string
  /** Name for people: of a check the name of its location. */
  name: string
  state: string
  value: string
  /** Instant of the newest report, ms since the epoch; null: the signal never reported. */
  at: number | null
  words: string
}

interface Counted {
  matching: number
  required: number
  within_seconds: number
}

interface Baseline {
  days: number
  required: number
  samples: number
  median: number | null
}

export const readingsOf = ({ inputs }: RecordEvidence, locations: Readonly<Record<string, string>>): Reading[] =>
  inputs.map((input, i) => {
    const { signal, status, value, at, reason, unresolved, counted, baseline } = input
    const words = [
      typeof unresolved === 'string' ? unresolved : '',
      typeof reason === 'string' ? reason : '',
      counted === undefined ? '' : countedWords(counted as Counted),
      baseline === undefined ? '' : baselineWords(baseline as Baseline),
    ]
    return {
      key: `${i} ${String(signal)}`,
      name: signalName(String(signal), locations),
      state: typeof status === 'string' ? status : 'unknown',
      value: typeof value === 'number' ? String(value) : '',
      at: typeof at === 'string' ? Date.parse(at) : null,
      words: words.filter(Boolean).join('; '),
    }
  })

const countedWords = ({ matching, required, within_seconds }: Counted): string =>
  `${matching} of ${required} needed within ${within_seconds} s`

const baselineWords = ({ days, required, samples, median }: Baseline): string =>
  median === null
    ? `no ${days}-day median yet: ${samples} of ${required} readings`
    : `${days}-day median ${median} of ${samples} readings`
