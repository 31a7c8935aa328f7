// The last administrator: one must remain who can administer the installation, unless the request is forced.
import type { UserDocument } from '#shared/contracts/account.ts'
import { AppError } from '#shared/errors.ts'
import { readAll } from '#shared/store/pages.ts'
import type { Store } from '#shared/store/port.ts'

export const isAdministrator = (user: UserDocument | null): boolean => user?.admin === true && !user.disabled

/** Throws `invalid_state` `Last administrator` when nobody but this user administers the installation. Reads every user: it is rare. */
export async function requireOtherAdministrator(store: Store, userId: string): Promise<void> {
  for await (const user of readAll(store, 'users', {})) if (user.id !== userId && isAdministrator(user)) return
  throw new AppError('invalid_state', 'Last administrator', {
    details:
      'Nobody could administer the installation any more: make another user administrator first; --force does it all the same',
  })
}
