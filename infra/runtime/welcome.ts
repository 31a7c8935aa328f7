// Text that is printed once everything runs: addresses, then commands for the remaining steps. A person can paste every command unchanged.

import { plainChannel } from '#shared/channels/registry.ts'
import { websiteTemplate } from '#shared/checks/website/website-template.ts'
import type { Store } from '#shared/store/port.ts'
import { ownerUsername } from '#shared/tokens/owner-username.ts'
import type { FirstKey } from './data/first-key.ts'
import { programSettings } from './settings.ts'

export interface WelcomeFacts {
  version: string
  /** Address of the gateway; null: no gateway runs here. */
  url: string | null
  opsUrl: string
  firstKey: FirstKey | null
  /** Id of the Location that the setting LOCATION names; null: no Location has this name, or no directory runs here. */
  locationId: string | null
  /** Value of DATA_DIR, and its absolute path. */
  dataDir: string
  dataFolder: string
  /** Steps that are already done; null: no directory runs here, and only a directory can create a first key. */
  done: DoneAlready | null
}

export interface DoneAlready {
  hasKey: boolean
  hasPassword: boolean
  hasDestination: boolean
  hasSubject: boolean
}

/** Returns the steps that are already done. Rejects with a StoreError. */
export async function doneAlready(store: Store): Promise<DoneAlready> {
  const [keys, owners, destinations, subjects] = await Promise.all([
    store.find('keys', { where: {}, limit: 1, select: [] }),
    store.find('users', { where: { username: ownerUsername }, limit: 1 }),
    store.find('destinations', { where: {}, limit: 1, select: [] }),
    store.find('subjects', { where: { deletedAt: null }, limit: 1, select: [] }),
  ])
  return {
    hasKey: keys.length > 0,
    hasPassword: owners.some(({ password }) => password !== undefined),
    hasDestination: destinations.length > 0,
    hasSubject: subjects.length > 0,
  }
}

/** Returns the id of the Location with this name; null: none. Rejects with a StoreError. */
export async function locationNamed(store: Store, name: string): Promise<string | null> {
  const [found] = await store.find('locations', { where: { name }, limit: 1, select: [] })
  return found?.id ?? null
}

export function welcome(facts: WelcomeFacts): string[] {
  const { url, firstKey, done } = facts
  const head = url === null ? 'runs' : `listens on ${url}`
  const first = `Watchkeeper ${facts.version} ${head}; readiness and metrics: ${facts.opsUrl}/readyz and ${facts.opsUrl}/metrics`
  if (url === null || done === null) return [first]
  const isUsual = facts.dataDir === programSettings.DATA_DIR.default
  const command = isUsual ? './watchkeeper' : `DATA_DIR=${quoted(facts.dataFolder)} ./watchkeeper`
  return [
    first,
    ...(firstKey === null ? [] : [`The first API key is in ${firstKey.path}, for you alone to read.`]),
    ...(done.hasKey ? [] : [`To make an API key: ${command} key create`]),
    ...(done.hasPassword
      ? []
      : [`To sign in as ${ownerUsername}, first set a password: ${command} member password ${ownerUsername}`]),
    ...(firstKey === null ? [] : nextSteps(`${url}/api`, firstKey, facts, done)),
    `The API describes itself at ${url}/api/openapi/`,
  ]
}

function nextSteps(api: string, { path, workspaceId }: FirstKey, facts: WelcomeFacts, done: DoneAlready): string[] {
  const curl = `curl -sS -H "Authorization: Bearer $(cat ${quoted(path)})"`
  const workspace = `${api}/v3/workspaces/${workspaceId}`
  const post = (url: string, body: object) =>
    `  ${curl} -H 'Content-Type: application/json' ${url} -d ${quoted(JSON.stringify(body))}`
  const destination = { name: 'my webhook', type: plainChannel.type, url: 'https://example.org/hook' }
  const firstResource = [
    'To watch what reports by itself, publish a Template, create a Resource of it, and report:',
    post(`${workspace}/templates`, heartbeat),
    post(`${workspace}/resources`, { template: heartbeat.key, key: 'backup', name: 'my backup' }),
    post(`${workspace}/resources/backup/observations`, { signal: 'beat', state: 'ok' }),
    ...(facts.locationId === null
      ? []
      : ['To watch a website every minute:', post(`${workspace}/resources`, website(facts.locationId))]),
  ]
  return [
    ...(done.hasDestination ? [] : ['To be notified:', post(`${workspace}/destinations`, destination)]),
    ...(done.hasSubject ? [] : firstResource),
    'To see what is wrong now:',
    `  ${curl} ${workspace}/incidents`,
  ]
}

/** Example of a signal: its sender reports every 5 minutes, and counts as silent after three missing reports. */
const heartbeat = {
  key: 'heartbeat',
  version: 1,
  name: 'Heartbeat',
  signals: [{ key: 'beat', kind: 'heartbeat', every_seconds: 300 }],
  rules: [
    {
      key: 'failing',
      action: 'Look at the log of the sender.',
      wait: { confirm_after: 120, recover_after: 0 },
      decision: {
        any: [
          { signal: 'beat', field: 'status', operator: 'eq', operand: 'problem' },
          { not: { signal: 'beat', field: 'known' } },
        ],
      },
    },
  ],
}

const website = (locationId: string) => ({
  template: websiteTemplate,
  key: 'website',
  name: 'my website',
  meta: { url: 'https://example.org/', interval_value: 1, locations: [locationId] },
})

/** Returns a text quoted as one word of a POSIX shell. */
const quoted = (text: string): string => (/^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`)
