// Whole installation for tests of the dashboard's reads: the real keeper, directory and gateway in virtual time, and browsers of an editor,
// a viewer and a stranger.
import { createDirectoryClient } from '#shared/bus/clients/clients.ts'
import type { Role } from '#shared/contracts/account.ts'
import { type Browser, openBrowser } from '../clients/browser.ts'
import { passwordOf } from './session-world.ts'
import { confirmMs, startWholeWorld, type WholeWorld } from './whole-world.ts'

export interface DashboardWorld extends WholeWorld {
  ask: ReturnType<typeof createDirectoryClient>['ask']
  workspaceId: string
  ownerId: string
  owner: Browser
  editor: Browser
  viewer: Browser
  stranger: Browser
  /** A key of the editor. */
  token: string
  /** Returns the browser of another member with this role. */
  addMember(username: string, role: Role): Promise<Browser>
  /** Creates a website monitor that one location checks once an hour. Returns its id. */
  addMonitor(name: string, over?: object): Promise<string>
  /** Creates a failed website monitor with a confirmed incident. Returns the ids of monitor and incident. */
  addFailing(name: string): Promise<{ id: string; incident: string }>
}

export async function startDashboardWorld(): Promise<DashboardWorld> {
  const world = await startWholeWorld()
  const { ask } = createDirectoryClient(world.bus, world.clock)
  const addUser = async (username: string) => {
    const id = `user-${username}`
    await ask('create-user', { id, username, displayName: username, password: passwordOf(username), admin: false })
    return id
  }
  const ownerId = await addUser('olga')
  const workspaceId = 'home000000'
  await ask('create-workspace', { id: workspaceId, name: 'Home', userId: ownerId })
  for (const username of ['edith', 'vera', 'stan']) await addUser(username)
  await ask('add-member', { workspaceId, username: 'edith', role: 'editor' })
  await ask('add-member', { workspaceId, username: 'vera', role: 'viewer' })
  await world.addLocations(['de'])
  const { token } = await world.addPerson('robot', { [workspaceId]: 'editor' })
  const signIn = async (username: string) => {
    const browser = openBrowser(world.address, { [new URL(world.address).host]: world.address })
    const shown = await browser.send('POST', '/session/sign-in', { body: { username, password: passwordOf(username) } })
    if (shown.status !== 200) throw new Error(`${username} could not sign in: ${shown.text}`)
    return browser
  }
  const [owner, editor, viewer, stranger] = await Promise.all(['olga', 'edith', 'vera', 'stan'].map(signIn))
  const addMonitor: DashboardWorld['addMonitor'] = async (name, over = {}) => {
    const request = { url: 'https://shop.example/', method: 'GET' }
    const monitor = {
      name,
      interval: 3_600,
      workspace_id: workspaceId,
      request,
      response: { statuses: [200] },
      locations: ['de'],
    }
    const made = await world.call('POST', '/api/v2/monitoring/websites', { token, body: { ...monitor, ...over } })
    if (made.json.error !== null) throw new Error(made.text)
    return made.json.result.id
  }
  return {
    ...world,
    ...{ ask, workspaceId, ownerId, token },
    ...{ owner: owner!, editor: editor!, viewer: viewer!, stranger: stranger! },
    addMember: async (username, role) => {
      await addUser(username)
      await ask('add-member', { workspaceId, username, role })
      return signIn(username)
    },
    addMonitor,
    addFailing: async name => {
      const id = await addMonitor(name)
      await world.report(id, 'aaaa', true)
      await world.clock.advance(1_000)
      await world.report(id, 'aaaa', false)
      await world.clock.advance(confirmMs)
      const { json } = await editor!.send('GET', `/session/monitors/${id}`)
      return { id, incident: json.rules[0].incident.id }
    },
  }
}
