// Banner of every page while nobody is notified of incidents of the workspace.
import type { Unheard } from '../data/notified.ts'
import { pathTo } from '../data/routing.ts'
import { may } from '../data/session.ts'

const words: Readonly<Record<NonNullable<Unheard>, string>> = {
  none: 'Nobody is notified: this workspace has no destination for messages.',
  disabled: 'Nobody is notified: every destination of this workspace is disabled.',
  'no default': 'Nobody is notified unless a rule or a monitor names a destination: no enabled destination is the default.',
}

export function Nobody({ why }: { why: NonNullable<Unheard> }) {
  return (
    <p class="banner nobody" role="status">
      {words[why]}{' '}
      {may('editor') ? (
        <a href={pathTo('destinations')}>{why === 'none' ? 'Add a destination' : 'To the destinations'}</a>
      ) : (
        'An editor or owner can change that.'
      )}
    </p>
  )
}
