// The directory's settings, declared once.
import { choice } from '#shared/settings.ts'

export const newUserWorkspaces = ['own', 'none'] as const
export type NewUserWorkspace = (typeof newUserWorkspaces)[number]

export const directorySettings = {
  NEW_USER_WORKSPACE: choice({
    default: 'own',
    of: newUserWorkspaces,
    meaning:
      'Whether a person who signs in for the first time, and is a member of no workspace, gets one named Default (own) or none.',
  }),
}
