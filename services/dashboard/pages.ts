// The components of all pages. A component is loaded when its page is first shown. Its script contains the page's style sheet as text
// (`parts/page-style.ts`).
import type { ComponentType } from 'preact'
import type { PageName } from '#shared/contracts/session/page-paths.ts'

/** A page gets the parameters of its path. */
export type Page = ComponentType<{ params: Readonly<Record<string, string>> }>

/** Modules of pages by page name. A module exports a page under the page's name. So this table, which every page loads, stays short. */
type Loads = { readonly [Name in PageName]: () => Promise<Readonly<Record<Name, Page>>> }

const websites = () => import('./website/pages.ts')
const resources = () => import('./resource/pages.ts')
const templates = () => import('./templates/pages.ts')
const editor = () => import('./templates/editor/editor-pages.ts')
const settings = () => import('./people/pages.ts')
const administration = () => import('./administration/pages.ts')

const loads: Loads = {
  monitoring: () => import('./list/list.tsx'),
  newMonitor: resources,
  monitor: () => import('./monitor/monitor.tsx'),
  editMonitor: websites,
  newReporting: resources,
  newResource: resources,
  newSubject: () => import('./resource/new-subject.tsx'),
  signals: () => import('./rules/subject-page.tsx'),
  incidents: () => import('./incidents/incidents.tsx'),
  incident: () => import('./incident/incident.tsx'),
  deliveries: () => import('./deliveries/deliveries.tsx'),
  templates,
  template: templates,
  newTemplate: editor,
  editTemplate: editor,
  settings,
  people: settings,
  destinations: settings,
  transformations: () => import('./transformations/page.ts'),
  addresses: settings,
  exports: () => import('./exports/exports.tsx'),
  keys: settings,
  account: () => import('./account/account.tsx'),
  locations: administration,
  probers: administration,
  users: administration,
  health: administration,
  audit: administration,
}

/** Returns the component of a page. Rejects if its module cannot be loaded. */
export async function loadPage<Name extends PageName>(name: Name): Promise<Page> {
  const load: Loads[Name] = loads[name]
  return (await load())[name]
}
