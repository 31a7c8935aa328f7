// The fields that a template may use, with their values in a sample. A press on a field inserts this field into the template at the cursor.
import { Shown, useLoaded } from '../parts/loaded.tsx'
import { readSamples } from './transformation.ts'

export function Fields({ onInsert }: { onInsert(field: string): void }) {
  const loaded = useLoaded(readSamples)
  return (
    <details class="part-of-form">
      <summary>Fields</summary>
      <Shown of={loaded}>
        {([sample]) => (
          <ul class="fields">
            {Object.entries({ ...sample?.fields, incident: 'the id of the incident' }).map(([field, value]) => (
              <li key={field}>
                <button type="button" class="button" data-look="quiet" onClick={() => onInsert(field)}>
                  <span class="hidden">Insert </span>
                  <code>{field}</code>
                </button>{' '}
                <span class="dim">{value}</span>
              </li>
            ))}
          </ul>
        )}
      </Shown>
    </details>
  )
}
