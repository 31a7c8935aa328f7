// The corner in which announcements are shown.
import { announcements, dismiss } from './announce.ts'

export function Announcements() {
  return (
    <div class="announcements" role="status" aria-live="polite">
      {announcements.value.map(({ id, sentence, isRefusal }) => (
        <p key={id} class="announcement" data-refusal={isRefusal}>
          {sentence}
          {isRefusal && (
            <button type="button" class="button" data-look="quiet" onClick={() => dismiss(id)}>
              Close
            </button>
          )}
        </p>
      ))}
    </div>
  )
}
