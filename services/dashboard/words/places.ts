// Names of signals for people. Pure.

/** Pattern of the signals of a website monitor. The group is the id of a location. */
const platform = /^reachability@(.+)$/

/** Returns the name of a signal: of a check's signal the name of its location. `locations`: names by id, without removed locations. */
export function signalName(signal: string, locations: Readonly<Record<string, string>>): string {
  const locationId = platform.exec(signal)?.[1]
  return locationId === undefined ? signal : (locations[locationId] ?? 'removed location')
}
