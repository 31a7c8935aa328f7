// Names of signals for people. Pure.

/** Pattern of the signals that probers check. The groups are the key of the signal and the id of a location. */
const checked = /^(.+)@([^@]+)$/
/** Key of the only check of a website monitor, which its pages do not name. */
const only = 'reachability'

/**
 * Returns the name of a signal: of a website's check the name of its location, of another check also its key. `locations`: names by id,
 * without removed locations.
 */
export function signalName(signal: string, locations: Readonly<Record<string, string>>): string {
  const [, key, locationId] = checked.exec(signal) ?? []
  if (key === undefined || locationId === undefined) return signal
  const location = locations[locationId] ?? 'removed location'
  return key === only ? location : `${key} from ${location}`
}
