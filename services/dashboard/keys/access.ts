// The rights of an API key, in words.

/** The actions of a scoped key, as the API names them. */
export const keyActions: readonly { action: string; word: string }[] = [
  { action: 'acknowledge', word: 'acknowledge Incidents' },
  { action: 'maintenance', word: 'start and end maintenance' },
  { action: 'observe', word: 'report Observations' },
  { action: 'templates', word: 'publish Templates' },
  { action: 'resources', word: 'create and archive Resources' },
]

/** `access` begins with `full` or `read`. */
export function accessWords(access: readonly string[], workspace: string | null): string {
  if (access[0] === 'full') return 'Full: all that you may, in all your workspaces'
  const actions = access.slice(1).map(name => keyActions.find(({ action }) => action === name)?.word ?? name)
  return `${workspace ?? 'A workspace that you left'}: ${['read', ...actions].join(', ')}`
}
