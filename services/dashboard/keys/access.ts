// The rights of an API key, in words.

/** The actions that a scoped key may have: the API's name of the action, and words for people. */
export const keyActions: readonly { action: string; word: string }[] = [
  { action: 'acknowledge', word: 'acknowledge incidents' },
  { action: 'maintenance', word: 'start and end maintenance' },
  { action: 'observe', word: 'report Observations' },
  { action: 'templates', word: 'publish Templates' },
  { action: 'resources', word: 'create and archive monitors of Templates' },
]

/** Returns the rights of a key in words. The first item of `access` is `full` or `read`. */
export function accessWords(access: readonly string[], workspace: string | null): string {
  if (access[0] === 'full') return 'Full: all that you may, in all your workspaces'
  const actions = access.slice(1).map(name => keyActions.find(({ action }) => action === name)?.word ?? name)
  return `${workspace ?? 'A workspace that you left'}: ${['read', ...actions].join(', ')}`
}
