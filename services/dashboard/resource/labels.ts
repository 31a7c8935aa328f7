// Conversion between the labels of a monitor and the lines of a form's input. Pure.
import { Refusal } from '../data/api.ts'

export type Labels = Readonly<Record<string, string>>

export const labelLines = (labels: Labels): string =>
  Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join('\n')

/** Parses lines such as `env=production`. Throws a Refusal of `labels` for a line without a key. */
export function labelsIn(text: string): Labels {
  const lines = text.split('\n').map(line => line.trim())
  const labels = lines
    .filter(line => line !== '')
    .map(line => {
      const end = line.indexOf('=')
      if (end < 1) throw new Refusal(0, '', `A label is written as key=value; "${line}" is not.`, 'labels')
      return [line.slice(0, end).trim(), line.slice(end + 1).trim()] as const
    })
  return Object.fromEntries(labels)
}

/** Returns the labels to send for a change: those that are new or changed, and null for those that are gone. */
export function changedLabels(labels: Labels, stored: Labels): Record<string, string | null> {
  const before = new Map(Object.entries(stored))
  const changed = Object.entries(labels).filter(([key, value]) => before.get(key) !== value)
  const gone = [...before.keys()].filter(key => !Object.hasOwn(labels, key)).map(key => [key, null] as const)
  return Object.fromEntries([...changed, ...gone])
}
