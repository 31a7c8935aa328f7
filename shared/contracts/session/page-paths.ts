// Paths of the dashboard's pages, for the gateway that serves them and the router in the browser. Imports nothing, because a browser loads
// this file. If two paths match an address, the path with a fixed segment is preferred to the path with a parameter.

export const pagePaths = {
  monitoring: '/',
  newMonitor: '/monitors/new',
  newReporting: '/monitors/new/reports',
  newResource: '/monitors/new/of/:template',
  newSubject: '/monitors/new/custom',
  monitor: '/monitors/:id',
  editMonitor: '/monitors/:id/edit',
  signals: '/monitors/:id/signals',
  incidents: '/incidents',
  incident: '/incidents/:id',
  deliveries: '/deliveries',
  templates: '/templates',
  newTemplate: '/templates/new',
  template: '/templates/:key',
  editTemplate: '/templates/:key/edit',
  settings: '/settings',
  people: '/settings/people',
  destinations: '/settings/destinations',
  transformations: '/settings/transformations',
  addresses: '/settings/addresses',
  exports: '/settings/export',
  keys: '/keys',
  account: '/account',
  locations: '/admin/locations',
  probers: '/admin/probers',
  users: '/admin/users',
  health: '/admin/health',
  audit: '/admin/audit',
} as const

export type PageName = keyof typeof pagePaths

export const signInPath = '/sign-in'

/** Number of rows that the HTML of a list's page contains. The list also reads this number of rows at once. A screen shows fewer rows. */
export const listPageRows = 30
