// Collections about people and places: accounts, sessions, workspaces, keys, addresses of senders, locations, credentials of probers. Only the
// directory writes them.
import type { CollectionSpec } from '#shared/store/collection-spec.ts'

export const peopleCollections = {
  users: {
    writer: 'directory',
    columns: { username: 'text', createdAt: 'integer' },
    indexes: [
      { name: 'byUsername', fields: ['username'], unique: true },
      { name: 'byCreation', fields: ['createdAt', 'id'] },
    ],
  },
  workspaces: {
    writer: 'directory',
    columns: { name: 'text', createdAt: 'integer', deletedAt: 'integer' },
    indexes: [
      { name: 'byCreation', fields: ['createdAt', 'id'] },
      { name: 'byDeletion', fields: ['deletedAt'] },
    ],
  },
  memberships: {
    writer: 'directory',
    columns: { workspaceId: 'text', userId: 'text' },
    indexes: [
      { name: 'byUser', fields: ['userId'] },
      { name: 'byWorkspace', fields: ['workspaceId'] },
    ],
  },
  invitations: {
    writer: 'directory',
    columns: { workspaceId: 'text', username: 'text', inviterId: 'text', createdAt: 'integer' },
    indexes: [
      { name: 'byUsername', fields: ['username', 'createdAt'] },
      { name: 'byInviter', fields: ['inviterId'] },
      { name: 'byWorkspace', fields: ['workspaceId'] },
    ],
    expires: true,
  },
  sessions: {
    writer: 'directory',
    columns: { userId: 'text', tokenHash: 'text', createdAt: 'integer' },
    indexes: [
      { name: 'byTokenHash', fields: ['tokenHash'], unique: true },
      { name: 'byUser', fields: ['userId', 'createdAt'] },
    ],
    expires: true,
  },
  externalIdentities: { writer: 'directory', columns: { userId: 'text' }, indexes: [{ name: 'byUser', fields: ['userId'] }] },
  signInTries: { writer: 'directory', columns: {}, indexes: [], expires: true },
  keys: {
    writer: 'directory',
    columns: { userId: 'text', tokenHash: 'text', createdAt: 'integer', expiresAt: 'integer' },
    indexes: [
      { name: 'byTokenHash', fields: ['tokenHash'], unique: true },
      { name: 'byUser', fields: ['userId'] },
      { name: 'byCreation', fields: ['createdAt', 'id'] },
      { name: 'byEnd', fields: ['expiresAt'] },
    ],
  },
  addresses: {
    writer: 'directory',
    columns: { workspaceId: 'text', tokenHash: 'text', createdAt: 'integer' },
    indexes: [
      { name: 'byTokenHash', fields: ['tokenHash'], unique: true },
      { name: 'byWorkspace', fields: ['workspaceId', 'createdAt'] },
    ],
  },
  pings: {
    writer: 'directory',
    columns: { workspaceId: 'text', subjectId: 'text', signal: 'text', pushToken: 'text' },
    indexes: [
      { name: 'bySignal', fields: ['subjectId', 'signal'], unique: true },
      { name: 'byPushToken', fields: ['pushToken'], unique: true },
      { name: 'ofWorkspace', fields: ['workspaceId', 'id'] },
    ],
  },
  pingKeys: {
    writer: 'directory',
    columns: { workspaceId: 'text', key: 'text', createdAt: 'integer' },
    indexes: [
      { name: 'byKey', fields: ['key'], unique: true },
      { name: 'byWorkspace', fields: ['workspaceId', 'createdAt'] },
    ],
  },
  locations: {
    writer: 'directory',
    columns: { name: 'text' },
    indexes: [{ name: 'byName', fields: ['name'], unique: true }],
  },
  proberCredentials: { writer: 'directory', columns: {}, indexes: [] },
} as const satisfies Record<string, CollectionSpec>
