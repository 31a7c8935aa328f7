// Settings from the environment. Each service declares its own settings, which are parsed once and frozen. If a value is invalid, the start
// fails with a sentence that names the setting.
import { parseDuration } from '#shared/time/durations.ts'

export interface Setting<T> {
  /** Default of the setting, in the form of a text in the environment. Empty: the setting has no default. */
  default: string
  /** Unit of a number, or form of a text; empty for plain text. */
  unit: string
  /** Meaning of the setting in one sentence, shown by `--help`. */
  meaning: string
  /** True: the value is never shown. */
  secret?: boolean
  /** Returns the value. Throws an Error whose message completes the sentence "<NAME> …", such as "must be …". */
  parse(text: string): T
}

export type Settings<D extends Record<string, Setting<unknown>>> = {
  readonly [K in keyof D]: D[K] extends Setting<infer T> ? T : never
}

type Declared = { default: string; meaning: string; secret?: boolean }

export const text = (declared: Declared & { unit?: string }): Setting<string> => ({
  unit: '',
  ...declared,
  parse: value => value,
})

export const integer = (declared: Declared & { unit: string; min: number; max: number }): Setting<number> => ({
  ...declared,
  parse: value => {
    const number = Number(value)
    if (value.trim() !== '' && Number.isInteger(number) && number >= declared.min && number <= declared.max) return number
    throw new Error(`must be a whole number from ${declared.min} to ${declared.max}`)
  },
})

export const port = (declared: Declared): Setting<number> =>
  integer({ ...declared, unit: 'TCP port, 0 takes a free one', min: 0, max: 65_535 })

/** Declares a setting whose value is a duration in milliseconds. */
export const duration = (declared: Declared): Setting<number> => ({
  ...declared,
  unit: 'duration, such as 90s, 2m, 1h30m',
  parse: value => {
    const ms = parseDuration(value)
    if (ms === null) throw new Error('must be a duration such as 90s, 2m or 1h30m')
    return ms
  },
})

export const choice = <T extends string>(declared: Declared & { of: readonly T[] }): Setting<T> => ({
  ...declared,
  unit: `one of ${declared.of.join(', ')}`,
  parse: value => {
    if ((declared.of as readonly string[]).includes(value)) return value as T
    throw new Error(`must be one of ${declared.of.join(', ')}`)
  },
})

export const list = <T extends string>(declared: Declared & { of: readonly T[] }): Setting<readonly T[]> => ({
  ...declared,
  unit: `some of ${declared.of.join(',')}`,
  parse: value => {
    const words = value
      .split(',')
      .map(word => word.trim())
      .filter(word => word !== '')
    const strange = words.find(word => !(declared.of as readonly string[]).includes(word))
    if (strange === undefined && words.length > 0) return [...new Set(words)] as T[]
    throw new Error(
      strange === undefined ? 'must name at least one' : `does not know "${strange}"; it takes some of ${declared.of.join(',')}`,
    )
  },
})

export class SettingError extends Error {}

/** Reads the declared settings from an environment. Throws a SettingError whose message is a sentence that names the setting. */
export function readSettings<D extends Record<string, Setting<unknown>>>(
  declared: D,
  environment: Record<string, string | undefined>,
): Settings<D> {
  const values: Record<string, unknown> = {}
  for (const [name, setting] of Object.entries(declared)) {
    const given = environment[name]
    try {
      values[name] = setting.parse(given === undefined || given === '' ? setting.default : given)
    } catch (error) {
      const shown = setting.secret ? '' : `; it is "${given ?? setting.default}"`
      throw new SettingError(`${name} ${(error as Error).message}${shown}.`)
    }
  }
  return Object.freeze(values) as Settings<D>
}
