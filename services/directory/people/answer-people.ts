// Which function answers which question about people (shared/contracts/ask/ask-people.ts).
import type { AskRequest, AskResults } from '#shared/contracts/ask/ask.ts'
import type { peopleAsks } from '#shared/contracts/ask/ask-people.ts'
import type { DirectoryContext } from '../context.ts'
import { createKey, deleteKey, listKeys } from '../keys/keys.ts'
import { createLocation, deleteLocation, updateLocation } from '../locations/locations.ts'
import { describeUser } from './callers.ts'
import { deleteUser } from './delete-user.ts'
import { deleteWorkspace } from './delete-workspace.ts'
import { addMember, changeRole, listMembers, removeMember } from './members.ts'
import { endSessions, findSession, signOut } from './sessions.ts'
import { setPassword } from './set-password.ts'
import { signIn, signInOidc } from './sign-in.ts'
import { createUser, findUser, listUsers, updateUser } from './users.ts'
import { createWorkspace, listAllWorkspaces, renameWorkspace } from './workspaces.ts'

type Verb = keyof typeof peopleAsks

export const peopleAnswerers: {
  [V in Verb]: (context: DirectoryContext, request: AskRequest<V>) => Promise<AskResults[V]>
} = {
  'create-user': createUser,
  'list-users': listUsers,
  'find-user': findUser,
  'update-user': updateUser,
  'delete-user': deleteUser,
  'set-password': setPassword,
  'sign-in': signIn,
  'sign-in-oidc': signInOidc,
  'find-session': findSession,
  'sign-out': signOut,
  'end-sessions': endSessions,
  'describe-user': describeUser,
  'create-workspace': createWorkspace,
  'rename-workspace': renameWorkspace,
  'delete-workspace': deleteWorkspace,
  'list-all-workspaces': listAllWorkspaces,
  'list-members': listMembers,
  'add-member': addMember,
  'change-role': changeRole,
  'remove-member': removeMember,
  'create-key': createKey,
  'list-keys': listKeys,
  'delete-key': deleteKey,
  'create-location': createLocation,
  'update-location': updateLocation,
  'delete-location': deleteLocation,
}
