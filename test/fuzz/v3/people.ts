// Callers of generation 3: every role with a full key and with scoped keys, members of the home workspace or not. The record of a route
// gives the refusal for each caller.

import { type KeyAction, keyActions } from '#shared/contracts/account.ts'
import { hashToken, makeToken } from '#shared/tokens/api-token.ts'
import type { Route } from '../../../services/gateway/http/route.ts'
import { addPerson } from '../../support/worlds/api-world.ts'
import type { FuzzedInstallation } from '../installation.ts'

export interface Caller {
  title: string
  /** Key; null: the caller sends no key. */
  token: string | null
  role: 'viewer' | 'editor' | 'owner' | 'stranger' | null
  /** Actions of a scoped key; null: a full key. */
  actions: readonly KeyAction[] | null
  isAdmin?: true
}

export const home = 'fuzzhome00'
export const foreign = 'fuzzother0'

/** Creates all callers; the first is the owner with a full key, who administers the installation. */
export async function addPeople(installation: Pick<FuzzedInstallation, 'store' | 'clock' | 'ask'>): Promise<Caller[]> {
  const callers: Caller[] = []
  for (const role of ['owner', 'editor', 'viewer'] as const) {
    const isOwner = role === 'owner'
    const { userId, token } = await addPerson(installation, `fuzz${role}`, { [home]: role }, { admin: isOwner })
    callers.push({ title: role, token, role, actions: null, ...(isOwner ? { isAdmin: true } : {}) })
    for (const actions of [[], ...keyActions.map(action => [action])]) {
      const scoped = makeToken()
      const key = { id: `fuzz${role}${actions.join()}`, description: '', tokenHash: hashToken(scoped), prefix: 'wk_' }
      await installation.ask('create-key', { ...key, userId, scope: { workspaceId: home, actions } })
      callers.push({ title: `${role} with a key for ${actions[0] ?? 'reading'}`, token: scoped, role, actions })
    }
  }
  const { token } = await addPerson(installation, 'fuzzstranger', { [foreign]: 'owner' })
  callers.push({ title: 'a stranger', token, role: 'stranger', actions: null })
  callers.push({ title: 'nobody', token: null, role: null, actions: null })
  callers.push({ title: 'an unknown key', token: makeToken(), role: null, actions: null })
  return callers
}

/**
 * Returns the refusal with which the route responds to this caller, before it looks for other faults; null: the caller is admitted (v3 1.3
 * and 2.2).
 */
export function refusalFor(
  { needs: { role: needed, scope, alsoAdmin }, path }: Route,
  { role, actions, isAdmin }: Caller,
): { status: number; details: Record<string, string> } | null {
  if (needed === 'nobody') return null
  if (role === null) return { status: 401, details: {} }
  if (path.includes(':workspace') && role === 'stranger') return { status: 404, details: {} }
  if (actions !== null && scope !== null && (scope === 'full' || !actions.includes(scope)))
    return { status: 403, details: { scope } }
  const ranks = ['viewer', 'editor', 'owner']
  const isRanked = needed !== 'anybody' && needed !== 'admin'
  if (isRanked && ranks.indexOf(role) < ranks.indexOf(needed)) return { status: 403, details: { role: needed } }
  const isRefused = (needed === 'admin' || alsoAdmin !== undefined) && isAdmin !== true
  return isRefused ? { status: 403, details: { role: 'admin' } } : null
}

/** Number of workspaces to which the owner is invited, and of accounts that are no callers. */
const stock = 12

/** Creates accounts that bodies may name, and invitations that the owner may accept or decline. Returns usernames, and ids of invitations. */
export async function addOthers({
  ask,
}: Pick<FuzzedInstallation, 'ask'>): Promise<{ accounts: string[]; invitations: string[] }> {
  const [accounts, invitations]: [string[], string[]] = [[], []]
  for (let i = 0; i < stock; i++) {
    const account = { id: `user-other${i}`, username: `other${i}`, displayName: '', password: null, admin: false }
    await ask('create-user', account)
    const workspaceId = `fuzzhost0${i}`
    await ask('create-workspace', { id: workspaceId, name: `Hosting ${i}`, userId: account.id })
    const sent = { id: `${workspaceId}.1`, workspaceId, inviterId: account.id, username: 'fuzzowner', role: 'viewer' as const }
    invitations.push((await ask('invite', sent)).id)
    accounts.push(account.username)
  }
  return { accounts, invitations }
}
