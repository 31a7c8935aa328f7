// The dashboard in the browser: reads the data in the page, opens the event stream, and shows the page of the address.
import { computed, effect, signal } from '@preact/signals'
import { render } from 'preact'
import type { PageName } from '#shared/contracts/session/page-paths.ts'
import { now, schedule, setServerClock, startTicking } from './data/clock.ts'
import { type FirstData, keepFirstView, readFirst } from './data/first.ts'
import { startNotified, unheard } from './data/notified.ts'
import { place, query, startRouter } from './data/router.ts'
import { isSignedOut, session, workspace, workspaceId } from './data/session.ts'
import { createStream } from './data/stream.ts'
import { startTitle } from './data/title.ts'
import { rememberWorkspace, renewSession } from './data/workspace.ts'
import { loadPage, type Page } from './pages.ts'
import { Announcements } from './parts/announcements.tsx'
import { Keys } from './parts/keys/key-help.tsx'
import { lazy } from './parts/lazy.tsx'
import { Failed, Loading } from './parts/states.tsx'
import { startTheme } from './parts/theme.ts'
import { Header, SignedOut } from './shell.tsx'

/** The shown page. While the page of a new address is loading, the previous page stays here. */
const loaded = signal<{ page: string; Shown: Page } | null>(null)
const failure = signal<unknown>(null)

async function load(): Promise<void> {
  const wanted = place.peek()?.page
  if (wanted === undefined) return
  try {
    const Shown = await loadPage(wanted)
    if (place.peek()?.page !== wanted) return
    failure.value = null
    loaded.value = { page: wanted, Shown }
  } catch (error) {
    // After an update of the gateway, the page's chunk may no longer exist. The error is then shown with a button that reloads the page.
    failure.value = error
  }
}

function Content() {
  const at = place.value
  if (failure.value !== null) return <Failed page="page" error={failure.value} onRetry={() => location.reload()} />
  if (at === null || !withoutWorkspace.includes(at.page)) {
    if (session.value?.workspaces.length === 0) return <NoWorkspace />
    if (workspace.value === null && workspaceId.value !== null && at !== null) return <WorkspaceGone />
  }
  const known = loaded.value
  if (at === null || known === null || known.page !== at.page) return <Loading />
  return <known.Shown key={Object.values(at.params).join('/')} params={at.params} />
}

/** Pages for a person who is a member of no workspace. */
const withoutWorkspace: readonly PageName[] = ['account', 'keys', 'settings', 'locations', 'probers', 'users']

const Nobody = lazy(() => import('./help/nobody.tsx').then(it => it.Nobody))
const NoWorkspace = lazy(() => import('./people/without-workspace.tsx').then(it => it.NoWorkspace))
const WorkspaceGone = lazy(() => import('./people/without-workspace.tsx').then(it => it.WorkspaceGone))

const Invitations = lazy(() => import('./people/invitations.tsx').then(it => it.Invitations))

/** Whether the page shows invitations: the start page, the account, and every page of a person without a workspace. */
const showsInvitations = computed(() => {
  const { invitations = [], workspaces = [] } = session.value ?? {}
  const page = place.value?.page
  return invitations.length > 0 && (workspaces.length === 0 || page === 'monitoring' || page === 'account')
})

/** Says that nobody is notified; draws nothing while somebody is. */
function Unheard() {
  const why = unheard.value
  return why === null || workspace.value === null ? null : <Nobody why={why} />
}

/** Id of the present workspace; null: the person is not a member, so the server would refuse the event stream. */
const membership = computed(() => workspace.value?.id ?? null)

function App() {
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <Header />
      <main id="main" tabIndex={-1}>
        {showsInvitations.value && <Invitations />}
        <Unheard />
        <Content />
      </main>
      <Announcements />
      <SignedOut />
      <Keys />
    </>
  )
}

function start(): void {
  startTheme()
  const first = readFirst<FirstData>(document)
  setServerClock(first.at)
  session.value = first.session
  workspaceId.value = first.workspace
  rememberWorkspace()
  keepFirstView(first)
  if (query.peek().has('workspace')) history.replaceState(null, '', location.pathname)
  const stream = createStream(path => new EventSource(path), schedule, renewSession, first)
  effect(() => stream.watch(isSignedOut.value ? null : membership.value))
  document.addEventListener('visibilitychange', () => stream.seen(!document.hidden))
  startTicking(() => !document.hidden)
  startTitle()
  startNotified()
  startRouter(load)
  void load()
  const root = document.getElementById('app')
  if (root === null) throw new Error('Invariant broken: the page has no place for the dashboard')
  render(<App />, root)
  root.dataset['ready'] = String(now.value > 0)
}

start()
