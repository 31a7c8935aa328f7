// Settings of the type `steps`: destinations by their ids, as they are stored, or by their names, as people write them. Pure.
import type { SettingStep, SettingValue } from '#shared/contracts/notifications/destination.ts'

/** Returns whether the value is a list of steps. */
export const isSteps = (value: unknown): value is SettingStep[] =>
  Array.isArray(value) && value.some(item => typeof item === 'object')

/** Returns the settings with names in the place of ids. A destination that is not `known` keeps its id. */
export const withStepNames = (
  settings: Readonly<Record<string, SettingValue>>,
  known: readonly { id: string; name: string }[],
): Record<string, SettingValue> =>
  Object.fromEntries(Object.entries(settings).map(([key, value]) => [key, isSteps(value) ? namesIn(value, known) : value]))

const namesIn = (steps: readonly SettingStep[], known: readonly { id: string; name: string }[]): SettingStep[] =>
  steps.map(step => ({ ...step, destination: known.find(({ id }) => id === step.destination)?.name ?? step.destination }))
