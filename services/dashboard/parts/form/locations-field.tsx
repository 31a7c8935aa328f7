// Choice of the locations from which something is checked.
import type { ComponentChildren } from 'preact'
import { type Location, readLocations } from '../../administration/location.ts'
import { Shown, useLoaded } from '../loaded.tsx'
import { Labelled } from './field.tsx'

interface Props {
  name: string
  label: string
  hint?: ComponentChildren
  /** Ids; null: nothing was chosen yet. */
  chosen: readonly string[] | null
}

/** Reads the locations first. */
export function LocationsField(props: Props) {
  const loaded = useLoaded(readLocations)
  return <Shown of={loaded}>{locations => <LocationChoices {...props} locations={locations} />}</Shown>
}

export function LocationChoices({ name, label, hint, chosen, locations }: Props & { locations: readonly Location[] }) {
  const isChosen = (id: string) => (chosen ?? usualLocations(locations)).includes(id)
  return (
    <Labelled name={name} label={label} hint={hint}>
      {({ id, ...described }) => (
        <fieldset id={id} class="choices" {...described}>
          <legend class="hidden">{label}</legend>
          {locations.map(one => (
            <label key={one.id} class="check">
              <input type="checkbox" name={name} value={one.id} defaultChecked={isChosen(one.id)} />
              {one.display_name ?? one.name}
              {one.active_workers_count === 0 && <span class="dim">no prober runs there</span>}
              {one.active_workers_count > 0 && one.lack !== undefined && <span class="dim">{one.lack}</span>}
            </label>
          ))}
        </fieldset>
      )}
    </Labelled>
  )
}

/**
 * Returns the ids of the locations that have probers at present which can make the check. If there are none, returns the ids of those with
 * probers, or else of all locations.
 */
function usualLocations(locations: readonly Location[]): string[] {
  const alive = locations.filter(({ active_workers_count: count }) => count > 0)
  const able = alive.filter(({ lack }) => lack === undefined)
  const usual = [able, alive].find(({ length }) => length > 0) ?? locations
  return usual.map(({ id }) => id)
}
