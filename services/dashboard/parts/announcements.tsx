// The corner in which announcements are shown.
import { announcements, dismiss } from './announce.ts'
import { Button } from './button.tsx'

export function Announcements() {
  return (
    <div class="announcements" role="status" aria-live="polite">
      {announcements.value.map(({ id, sentence, isRefusal }) => (
        <p key={id} class="announcement" data-refusal={isRefusal}>
          {sentence}
          {isRefusal && (
            <Button look="quiet" onClick={() => dismiss(id)}>
              Close
            </Button>
          )}
        </p>
      ))}
    </div>
  )
}
