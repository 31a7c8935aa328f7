// Destinations of the workspace: receivers of messages. Editors and owners have actions on every destination; viewers can only read.
import { useSignal } from '@preact/signals'
import { may } from '../data/session.ts'
import { pageTitle } from '../data/title.ts'
import { Button } from '../parts/button.tsx'
import { Shown, useLoaded } from '../parts/loaded.tsx'
import { SettingsSections } from '../parts/sections.tsx'
import { Empty } from '../parts/states.tsx'
import { readDestinations } from './destination.ts'
import { DestinationCard } from './destination-card.tsx'
import { NewDestination } from './destination-form.tsx'

export function Destinations() {
  pageTitle.value = 'Destinations'
  const loaded = useLoaded(readDestinations)
  const isMaking = useSignal(false)
  return (
    <>
      <SettingsSections />
      <div class="head">
        <h1>Destinations</h1>
        {may('editor') && (
          <Button look="main" onClick={() => (isMaking.value = true)}>
            Add destination
          </Button>
        )}
      </div>
      <p class="dim">
        Messages about incidents go to the default, unless a rule or the alert delivery of a monitor names other destinations.
      </p>
      <Shown of={loaded}>
        {({ destinations, channels }) =>
          destinations.length === 0 ? (
            <Empty title="No destinations yet">
              <p>Nobody is notified of incidents of this workspace. {may('editor') || 'An editor or owner adds destinations.'}</p>
            </Empty>
          ) : (
            <ul class="cards">
              {destinations.map(destination => (
                <DestinationCard key={destination.id} {...{ destination, channels }} onChanged={loaded.reload} />
              ))}
            </ul>
          )
        }
      </Shown>
      {isMaking.value && <NewDestination onDone={loaded.reload} onClose={() => (isMaking.value = false)} />}
    </>
  )
}
