// Frame of every page: navigation, state of the event stream, and the signed-in person.
import type { PageName } from '#shared/contracts/session/page-paths.ts'
import { ask, sentenceOf } from './data/api.ts'
import { now } from './data/clock.ts'
import { duration } from './data/format.ts'
import { address, go, place } from './data/router.ts'
import { pathTo } from './data/routing.ts'
import { isAdmin, isSignedOut, session, workspace } from './data/session.ts'
import { heardAt, link } from './data/stream.ts'
import { chooseWorkspace } from './data/workspace.ts'
import { announce } from './parts/announce.ts'
import { lazy } from './parts/lazy.tsx'
import { nextTheme, theme } from './parts/theme.ts'

interface Section {
  page: PageName
  word: string
  /** Prefix of the paths of all pages of the section. If absent, the path of the section's first page is this prefix. */
  within?: string
}

const sections: readonly Section[] = [
  { page: 'monitoring', word: 'Monitoring', within: '/monitors' },
  { page: 'incidents', word: 'Incidents' },
  { page: 'deliveries', word: 'Deliveries' },
  { page: 'templates', word: 'Templates' },
  { page: 'settings', word: 'Settings' },
]
const administration: Section = { page: 'locations', word: 'Administration', within: '/admin' }

export function Header() {
  const shown = isAdmin.value ? [...sections, administration] : sections
  const at = place.value?.page
  return (
    <header class="bar">
      <a class="brand" href="/">
        <svg viewBox="0 0 32 32" aria-hidden="true">
          <path d="M2 16c4-7 9-10 14-10s10 3 14 10c-4 7-9 10-14 10S6 23 2 16z" fill="currentColor" />
          <circle class="iris" cx="16" cy="16" r="6" />
          <circle class="light" cx="18" cy="14" r="2" />
        </svg>
        Watchkeeper
      </a>
      <nav aria-label="Main">
        {shown.map(({ page, word, within = pathTo(page) }) => (
          <a
            key={page}
            href={pathTo(page)}
            aria-current={page === at ? 'page' : address.value.startsWith(within) ? 'true' : undefined}
          >
            {word}
          </a>
        ))}
      </nav>
      <div class="bar-end">
        <WorkspaceChoice />
        <LinkMark />
        <Person />
      </div>
    </header>
  )
}

function WorkspaceChoice() {
  const all = session.value?.workspaces ?? []
  if (all.length < 2) return all[0] === undefined ? null : <span class="dim">{all[0].name}</span>
  const choose = (id: string) => {
    chooseWorkspace(id)
    go('/')
  }
  return (
    <select
      class="input workspace"
      aria-label="Workspace"
      value={workspace.value?.id ?? ''}
      onChange={event => choose(event.currentTarget.value)}
    >
      {all.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </select>
  )
}

/** Mark that shows whether the page is up to date. Old data are never shown as present data. */
function LinkMark() {
  return (
    <span class="link-mark" data-link={link.value} role="status">
      {linkWords()}
    </span>
  )
}

function linkWords(): string {
  if (link.value === 'live') return 'Live'
  if (link.value === 'lost') return `Reconnecting, data ${duration(now.value - heardAt.value)} old`
  return 'Connecting'
}

function Person() {
  const user = session.value?.user
  if (user === undefined) return null
  return (
    <details class="menu">
      <summary>{user.display_name === '' ? user.username : user.display_name}</summary>
      <div class="menu-items">
        <a href="/account">Account</a>
        <a href="/keys">API keys</a>
        <button type="button" onClick={nextTheme}>
          Colours: {theme.value}
        </button>
        {!session.value?.developer && (
          <button type="button" onClick={() => void signOut()}>
            Sign out
          </button>
        )}
      </div>
    </details>
  )
}

async function signOut(): Promise<void> {
  try {
    await ask('POST', '/session/sign-out', {})
    location.assign('/sign-in')
  } catch (error) {
    announce(sentenceOf(error), { isRefusal: true })
  }
}

const SignedOutDialog = lazy(() => import('./help/signed-out.tsx').then(it => it.SignedOutDialog))

/** Dialog over the page after the session has ended. The page below the dialog keeps the typed text. */
export const SignedOut = () => (isSignedOut.value ? <SignedOutDialog /> : null)
