// Address of the present page. Links are ordinary links: a browser with the Navigation API changes the page without a load, and any other
// browser loads the new page.
import { computed, signal } from '@preact/signals'
import { type Place, placeOf } from './routing.ts'

const at = signal({ path: location.pathname, query: location.search })

export const place = computed<Place | null>(() => placeOf(at.value.path))
export const query = computed(() => new URLSearchParams(at.value.query))
/** Path and query, as in a link to this view. */
export const address = computed(() => `${at.value.path}${at.value.query}`)

/** Function that resolves when the page of the new address is shown. Only then the browser moves the focus and scrolls. */
type Arrive = () => Promise<void>

export function startRouter(arrive: Arrive): void {
  window.navigation?.addEventListener('navigate', event => {
    const to = new URL(event.destination.url)
    const isHere = to.origin === location.origin && placeOf(to.pathname) !== null
    if (!event.canIntercept || event.hashChange || event.downloadRequest !== null || event.formData || !isHere) return
    const isSamePage = to.pathname === at.peek().path
    event.intercept({
      // A changed filter does not change the page, so focus and scroll position stay.
      ...(isSamePage ? { focusReset: 'manual', scroll: 'manual' } : {}),
      handler: async () => {
        at.value = { path: to.pathname, query: to.search }
        await arrive()
      },
    })
  })
}

/** Goes to a path of the dashboard like a link. */
export function go(path: string): void {
  if (window.navigation === undefined) location.assign(path)
  else window.navigation.navigate(path)
}

/** Changes parameters of the query in place; null removes the parameter. */
export function setQuery(changes: Readonly<Record<string, string | null>>): void {
  const next = new URLSearchParams(at.peek().query)
  for (const [name, value] of Object.entries(changes)) {
    if (value === null || value === '') next.delete(name)
    else next.set(name, value)
  }
  const text = next.size === 0 ? '' : `?${next}`
  if (text === at.peek().query) return
  history.replaceState(null, '', `${at.peek().path}${text}`)
  at.value = { path: at.peek().path, query: text }
}
