// Names of signals for people. Pure.

/** Pattern of the signals that probers check. The groups are the key of the signal and the id of a location. */
const checked = /^(.+)@([^@]+)$/
/** Key of the check by which a monitor is up, which pages do not name. */
const only = 'reachability'

/**
 * Returns the name of a signal: of the check by which a monitor is up the name of its location, of another check also its key.
 * `locations`: names by id, without removed locations. `isAlone`: the monitor has no other check.
 */
export function signalName(signal: string, locations: Readonly<Record<string, string>>, isAlone = false): string {
  const [, key, locationId] = checked.exec(signal) ?? []
  if (key === undefined || locationId === undefined) return signal
  const location = locations[locationId] ?? 'removed location'
  return isAlone || key === only ? location : `${key} from ${location}`
}
